import { beginWorkflowRun } from '../../../domain/automation/workflows/runs/begin.ts';
import { endNode, endWorkflowRun, skipNodes } from '../../../domain/automation/workflows/runs/end.ts';
import type { WorkflowRunControlActivities } from '../../../workflows/automation/workflow-run/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function workflowRunControlActivities(deps: ActivityDeps): WorkflowRunControlActivities {
  return {
    /** Safe to retry: pins and nodes are written once. */
    beginWorkflowRun: (input) => beginWorkflowRun(deps, input),
    /** Safe to retry: no effect on a node that has ended. */
    skipNodes: (input, nodeIds) => skipNodes(deps, input, nodeIds),
    /** Safe to retry: no effect on a node that has ended. */
    endNode: (input, why) => endNode(deps, input, why),
    /** Safe to retry: no effect on a run that has ended. */
    endWorkflowRun: (input, resumes) => endWorkflowRun(deps, input, { resumes }),
  };
}
