import { Group } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { runKindNames, runKinds } from '../../../domain/workspace/runs/kinds.ts';
import { Choice } from '../parts/choice.tsx';
import { List } from '../parts/list.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Pages } from '../parts/pages.tsx';
import { lookEveryMs, type Run } from '../parts/run.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const route = getRouteApi('/framed/projects/$projectId/runs');
const { columns, empty, filter, statuses, stuck, percent, title, triggers } = texts.runs;

interface Which {
  kind: Run['kind'] | undefined;
  status: Run['status'] | undefined;
}
const searchOf = ({ kind, status }: Which) => ({ ...(kind && { kind }), ...(status && { status }) });

/** Everything that runs in a project, or ran. */
export function RunsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const asked = route.useSearch();
  // Others may have been typed into the address.
  const kind = runKindNames.find((name) => name === asked.kind);
  const status = statuses.find((name) => name === asked.status);
  const search = searchOf({ kind, status });
  const choose = (which: Which) => void navigate({ search: searchOf(which), replace: true });
  return (
    <>
      <PageHead title={texts.pages.runs} />
      <Group>
        <Choice
          label={filter.kind}
          value={kind}
          options={runKindNames.map((name) => [name, runKinds[name].label])}
          onChoose={(chosen) => choose({ kind: chosen, status })}
        />
        <Choice
          label={filter.status}
          value={status}
          options={statuses.map((name) => [name, texts.parts.statuses[name]])}
          onChoose={(chosen) => choose({ kind, status: chosen })}
        />
      </Group>
      <Pages
        queryKey={['runs', projectId, search]}
        empty={empty}
        everyMs={lookEveryMs}
        fetchPage={(page) =>
          workspace.get('/v1/projects/{project_id}/runs', {
            params: { path: { project_id: projectId }, query: { ...search, ...page } },
          })
        }
      >
        {(found) => (
          <List
            label={title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: columns.title,
                value: (run) => (
                  <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id }}>
                    {run.title === '' ? run.id : run.title}
                  </Link>
                ),
              },
              { title: columns.status, value: (run) => <HowItIs run={run} /> },
              { title: columns.kind, value: (run) => runKinds[run.kind].label },
              { title: columns.trigger, value: ({ trigger }) => triggers[trigger.type] },
              { title: columns.begun, value: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Pages>
    </>
  );
}

function HowItIs({ run: { status, progress, problem } }: { run: Run }) {
  return (
    <>
      <Status of={status} /> {status === 'running' && progress > 0 && percent(progress)}
      {problem !== null && <strong className="stuck">{stuck}</strong>}
    </>
  );
}
