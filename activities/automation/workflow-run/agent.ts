import { createAdmission } from '../../../data/admission.ts';
import { advanceNode } from '../../../domain/automation/workflows/runs/advance.ts';
import type {
  NodeProgress,
  WorkflowRunAgentActivities,
} from '../../../workflows/automation/workflow-run/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { withHeartbeats } from '../../heartbeats.ts';

/**
 * Nodes of a worker, and of one organization there: the same queue has the turns of conversations, which
 * people wait for.
 */
const admission = { inAll: 32, ofOwner: 8 };

export function workflowRunAgentActivities(deps: ActivityDeps): WorkflowRunAgentActivities {
  const attempts = createAdmission(admission);
  return {
    /** Safe to retry: what a node makes is named after the run, the node and its try, and it ends once. */
    advanceNode: (input) =>
      attempts.run(
        input.organizationId,
        () => withHeartbeats({}, {}, (_, signal) => advanceNode(deps, input, signal)),
        (): NodeProgress => ({ kind: 'busy' }),
      ),
  };
}
