import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Action } from '../../parts/action.tsx';
import { List } from '../../parts/list.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { Approvals } from './approvals.tsx';
import type { Run } from './graph.ts';

const labels = texts.automation.workflows.run;

interface OneRunProps {
  workflowId: string;
  run: Run;
}

/** A run: how it is, what it asks of people, and the steps that have begun. */
export function OneRun({ workflowId, run }: OneRunProps) {
  const { id, projectId, status, createdAt, startedAt, finishedAt, error, problem, steps } = run;
  const path = { workflow_id: workflowId, run_id: id };
  const changes = [
    ['workflow-run', workflowId, id],
    ['workflow-runs', workflowId],
  ];
  return (
    <section className="part" aria-label={labels.heading}>
      <h3>
        {labels.heading} <Time at={startedAt ?? createdAt} />
      </h3>
      <p role="status">
        <Status of={status} /> {error?.message} {problem?.message}
      </p>
      {projectId !== null && (
        <p>
          <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: id }}>
            {labels.inProject}
          </Link>
        </p>
      )}
      {finishedAt === null && <Approvals workflowId={workflowId} runId={id} />}
      {steps.length === 0 ? <p>{labels.noSteps}</p> : <Steps steps={steps} />}
      <Group>
        {finishedAt === null && (
          <Action
            destroys
            confirm={labels.cancelSure}
            changes={changes}
            does={() =>
              workspace.post('/v1/workflows/{workflow_id}/runs/{run_id}/cancel', {
                params: { path, query: { confirm: 'true' } },
              })
            }
          >
            {labels.cancel}
          </Action>
        )}
        {status === 'failed' &&
          (['kept', 'newest'] as const).map((data) => (
            <Action
              key={data}
              changes={changes}
              does={() =>
                workspace.post('/v1/workflows/{workflow_id}/runs/{run_id}/resume', {
                  params: { path, query: { data } },
                })
              }
            >
              {data === 'kept' ? labels.resume : labels.resumeNewest}
            </Action>
          ))}
      </Group>
    </section>
  );
}

const Steps = ({ steps }: Pick<Run, 'steps'>) => (
  <List
    label={labels.steps}
    items={steps}
    keyOf={({ id }) => id}
    columns={[
      { title: labels.step.name, value: ({ name }) => name },
      { title: labels.step.status, value: ({ status }) => <Status of={status} /> },
      {
        title: labels.step.detail,
        value: ({ detail, error }) => (
          <>
            {detail} {error?.message}
          </>
        ),
      },
    ]}
  />
);
