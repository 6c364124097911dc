import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { runKinds } from '../../../domain/workspace/runs/kinds.ts';
import { hasEnded, lookEveryMs, type Run } from '../parts/run.ts';
import { Fetched } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Few } from './few.tsx';

const labels = texts.home;
const statuses = ['failed', 'waiting'] as const;
const limit = 6;

/** What failed, what waits for a person, and what ran last or runs now. */
export function RecentRuns({ projectId }: { projectId: string }) {
  const asked = useQuery({
    queryKey: ['runs', projectId, 'recent'],
    queryFn: async () => {
      const path = { project_id: projectId };
      const [failed, waiting, all] = await Promise.all(
        [...statuses, undefined].map((status) =>
          workspace.get('/v1/projects/{project_id}/runs', {
            params: { path, query: { limit, ...(status && { status }) } },
          }),
        ),
      );
      return { failed: failed!.items, waiting: waiting!.items, all: all!.items };
    },
    refetchInterval: ({ state }) => (state.data?.all.every(hasEnded) === false ? lookEveryMs : false),
  });
  const list = (title: string, runs: readonly Run[], none: string) => (
    <Few
      title={title}
      none={none}
      items={runs.map((run) => ({
        key: run.id,
        name: (
          <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id }}>
            {run.title === '' ? runKinds[run.kind].label : run.title}
          </Link>
        ),
        state: <Status of={run.status} />,
        when: <Time at={run.finishedAt ?? run.startedAt ?? run.createdAt} />,
      }))}
    />
  );
  return (
    <Fetched asked={asked}>
      {({ failed, waiting, all }) => (
        <>
          {waiting.length > 0 && list(labels.waiting, waiting, '')}
          {failed.length > 0 && list(labels.failed, failed, '')}
          {list(labels.ran, all, labels.nothingRan)}
        </>
      )}
    </Fetched>
  );
}
