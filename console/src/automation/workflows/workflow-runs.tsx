import { Button } from '@mantine/core';
import { List } from '../../parts/list.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';

const labels = texts.automation.workflows.run;
const everyMs = 5_000;

interface WorkflowRunsProps {
  workflowId: string;
  chosenId: string | undefined;
  onChoose: (runId: string) => void;
}

/** The runs of a workflow, the newest first. */
export function WorkflowRuns({ workflowId, chosenId, onChoose }: WorkflowRunsProps) {
  return (
    <Pages
      queryKey={['workflow-runs', workflowId, 'all']}
      empty={labels.none}
      everyMs={everyMs}
      fetchPage={(page) =>
        workspace.get('/v1/workflows/{workflow_id}/runs', {
          params: { path: { workflow_id: workflowId }, query: page },
        })
      }
    >
      {(found) => (
        <List
          label={labels.runs}
          items={found}
          keyOf={({ id }) => id}
          columns={[
            {
              title: labels.columns.when,
              value: ({ id, startedAt, createdAt }) => (
                <Button aria-pressed={id === chosenId} onClick={() => onChoose(id)}>
                  <Time at={startedAt ?? createdAt} />
                </Button>
              ),
            },
            { title: labels.columns.status, value: ({ status }) => <Status of={status} /> },
            { title: labels.columns.trigger, value: ({ trigger }) => labels.triggers[trigger.type] },
            { title: labels.columns.end, value: ({ finishedAt }) => <Time at={finishedAt} /> },
          ]}
        />
      )}
    </Pages>
  );
}
