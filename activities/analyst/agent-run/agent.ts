import { clearAgentRun, deliverAgentRun } from '../../../domain/analyst/agent-runs/deliver.ts';
import type { AgentRunAgentActivities } from '../../../workflows/analyst/agent-run/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function agentRunAgentActivities(deps: ActivityDeps): AgentRunAgentActivities {
  return {
    /** Safe to retry: what it makes is named after the run, and the run ends with it once. */
    deliverAgentRun: (input) => deliverAgentRun(deps, input),
    /** Safe to retry: what is gone is gone. */
    clearAgentRun: (input) => clearAgentRun(deps, input),
  };
}
