import { beginWorkflowRun } from '../../../domain/automation/workflows/runs/begin.ts';
import { endNode, endWorkflowRun, skipNodes } from '../../../domain/automation/workflows/runs/end.ts';
import type { WorkflowRunControlActivities } from '../../../workflows/automation/workflow-run/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function workflowRunControlActivities(deps: ActivityDeps): WorkflowRunControlActivities {
  return {
    /** Safe to retry: what is pinned and what nodes there are is written once. */
    beginWorkflowRun: (input) => beginWorkflowRun(deps, input),
    /** Safe to retry: a node that ended stays as it ended. */
    skipNodes: (input, nodeIds) => skipNodes(deps, input, nodeIds),
    /** Safe to retry: a node that ended stays as it ended. */
    endNode: (input, why) => endNode(deps, input, why),
    /** Safe to retry: a run that ended stays as it ended. */
    endWorkflowRun: (input, resumes) => endWorkflowRun(deps, input, { resumes }),
  };
}
