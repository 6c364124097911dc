import { createAdmission } from '../../data/admission.ts';
import { advanceNode } from '../../domain/automation/workflows/runs/advance.ts';
import type {
  NodeProgress,
  WorkflowRunAgentActivities,
} from '../../workflows/automation/workflow-run/contract.ts';
import type { ActivityDeps } from '../deps.ts';
import { withHeartbeats } from '../heartbeats.ts';

/**
 * Concurrent nodes per worker, and per organization there. The same queue serves the turns of conversations,
 * which people wait for.
 */
const admission = { inAll: 32, ofOwner: 8 };

export function workflowRunAgentActivities(deps: ActivityDeps): WorkflowRunAgentActivities {
  const attempts = createAdmission(admission);
  return {
    /**
     * Safe to retry: ids of what a node creates are derived from the run, the node and its attempt, and the
     * node ends once.
     */
    advanceNode: (input) =>
      attempts.run(
        input.organizationId,
        () => withHeartbeats({}, {}, (_, signal) => advanceNode(deps, input, signal)),
        (): NodeProgress => ({ kind: 'busy' }),
      ),
  };
}
