import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { runKinds } from '../../../domain/workspace/runs/kinds.ts';
import type { Run } from '../parts/run.ts';
import { Status } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';
import { Subject } from './subject.tsx';

const labels = texts.runs;

interface OfRun {
  run: Run;
  projectId: string;
}

/** How a run is, what began it, and where else it can be looked at. */
export function Facts({ run, projectId }: OfRun) {
  const { status, progress, kind, startedAt, createdAt, finishedAt, workflowId } = run;
  return (
    <dl className="facts-list">
      <dt>{labels.columns.status}</dt>
      <dd>
        <Status of={status} />
      </dd>
      <dt>{labels.progress}</dt>
      <dd>
        <progress aria-label={labels.progress} value={progress} /> {labels.percent(progress)}
      </dd>
      <dt>{labels.columns.kind}</dt>
      <dd>{runKinds[kind].label}</dd>
      <dt>{labels.columns.trigger}</dt>
      <dd>
        <Trigger run={run} projectId={projectId} />
      </dd>
      <dt>{labels.about}</dt>
      <dd>
        <Subject run={run} projectId={projectId} />
      </dd>
      <dt>{labels.columns.begun}</dt>
      <dd>
        <Time at={startedAt ?? createdAt} />
      </dd>
      {finishedAt !== null && (
        <>
          <dt>{labels.ended}</dt>
          <dd>
            <Time at={finishedAt} />
          </dd>
        </>
      )}
      <dt>{labels.temporal}</dt>
      <dd>
        <InTemporal workflowId={workflowId} />
      </dd>
    </dl>
  );
}

/** Administrators are led to the process itself, where the operator says how. */
function InTemporal({ workflowId }: Pick<Run, 'workflowId'>) {
  const { data: me } = useMe();
  const { data: ui } = useQuery({
    queryKey: ['temporal-ui'],
    queryFn: () => workspace.get('/v1/temporal-ui'),
    enabled: me?.data.admin === true,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const name = <code>{workflowId}</code>;
  const base = ui?.data.workflowsUrl ?? null;
  return base === null ? (
    name
  ) : (
    <a href={`${base}${encodeURIComponent(workflowId)}`} target="_blank" rel="noreferrer">
      {name}
    </a>
  );
}

function Trigger({ run: { trigger }, projectId }: OfRun) {
  const { type, id } = trigger;
  const text = labels.triggers[type];
  if (id === null) return text;
  if (type === 'conversation')
    return (
      <Link to="/projects/$projectId/ask/$chatId" params={{ projectId, chatId: id }}>
        {text}
      </Link>
    );
  if (type === 'schedule')
    return (
      <Link to="/schedules/$scheduleId" params={{ scheduleId: id }}>
        {text}
      </Link>
    );
  return (
    <>
      {text} <code>{id}</code>
    </>
  );
}
