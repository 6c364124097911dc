import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { runKinds } from '../../../domain/workspace/runs/kinds.ts';
import { Action } from '../parts/action.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { asLongAs } from '../parts/polling.ts';
import { hasEnded, lookEveryMs, type Run } from '../parts/run.ts';
import { Failure, Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Facts } from './facts.tsx';
import { Made } from './made.tsx';
import { Resume } from './resume.tsx';
import { Steps } from './steps.tsx';

const route = getRouteApi('/framed/projects/$projectId/runs/$runId');
const labels = texts.runs;

/** A run, which is looked at again as long as it is under way. */
export function RunPage() {
  const { projectId, runId } = route.useParams();
  const path = { project_id: projectId, run_id: runId };
  const queryKey = ['run', runId];
  const asked = useQuery({
    queryKey,
    queryFn: () => workspace.get('/v1/projects/{project_id}/runs/{run_id}', { params: { path } }),
    refetchInterval: asLongAs(({ data }) => !hasEnded(data), lookEveryMs),
  });
  return (
    <Fetched asked={asked}>
      {({ data: run }) => (
        <>
          <PageHead title={run.title === '' ? run.id : run.title} facts={runKinds[run.kind].label}>
            {!hasEnded(run) && (
              <Action
                destroys
                confirm={labels.cancel.confirm(run.title)}
                changes={[queryKey, ['runs', projectId]]}
                does={() =>
                  workspace.post('/v1/projects/{project_id}/runs/{run_id}/cancel', {
                    params: { path, query: { confirm: 'true' } },
                  })
                }
              >
                {labels.cancel.title}
              </Action>
            )}
          </PageHead>
          <Facts run={run} projectId={projectId} />
          <Trouble run={run} />
          {run.kind === 'workflow' && run.status === 'failed' && (
            <Resume run={run} changes={[queryKey, ['runs', projectId]]} />
          )}
          <Made run={run} projectId={projectId} />
          <Steps run={run} />
        </>
      )}
    </Fetched>
  );
}

/** Why it does not go on, and what to do. */
function Trouble({ run }: { run: Run }) {
  const { problem, error, status, resource } = run;
  return (
    <>
      {problem !== null && (
        <section className="failure" aria-label={labels.problem.title}>
          <h2>{labels.problem.title}</h2>
          <p>
            {problem.message} ({labels.problem.since} <Time at={problem.since} />)
          </p>
          <p>{labels.problem.hint}</p>
        </section>
      )}
      {status === 'waiting' && (
        <p role="status">
          {labels.waiting}{' '}
          <Link to="/workflows/$workflowId" params={{ workflowId: resource.id }} search={{ run: run.id }}>
            {labels.decide}
          </Link>
        </p>
      )}
      {error !== null && (
        <Failure title={labels.failed} error={new Error(`${error.message} (${error.code})`)} />
      )}
    </>
  );
}
