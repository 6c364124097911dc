import { Fetched } from '../../parts/states.tsx';
import * as texts from '../../texts/index.ts';
import type { Workflow } from './graph.ts';
import { OneRun } from './one-run.tsx';
import { RunWorkflow } from './run-workflow.tsx';
import type { RunInSight } from './use-run.ts';
import { WorkflowRuns } from './workflow-runs.tsx';

const labels = texts.automation.workflows.run;

interface RunningProps {
  workflow: Workflow;
  run: RunInSight;
  onChoose: (runId: string) => void;
}

/** Starts a run, follows the one in sight, and lists the others. */
export function Running({ workflow, run, onChoose }: RunningProps) {
  return (
    <>
      <h2>{labels.title}</h2>
      <RunWorkflow workflow={workflow} onStarted={onChoose} />
      {run.fetchStatus === 'idle' && run.isPending ? null : (
        <Fetched asked={run}>{(data) => <OneRun workflowId={workflow.id} run={data} />}</Fetched>
      )}
      <h2>{labels.runs}</h2>
      <WorkflowRuns workflowId={workflow.id} chosenId={run.data?.id} onChoose={onChoose} />
    </>
  );
}
