import { clearAgentRun, deliverAgentRun } from '../../../domain/analyst/agent-runs/deliver.ts';
import type { AgentRunAgentActivities } from '../../../workflows/analyst/agent-run/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function agentRunAgentActivities(deps: ActivityDeps): AgentRunAgentActivities {
  return {
    /** Safe to retry: the output's id is derived from the run, and the run ends once. */
    deliverAgentRun: (input) => deliverAgentRun(deps, input),
    /** Safe to retry: what is removed already is skipped. */
    clearAgentRun: (input) => clearAgentRun(deps, input),
  };
}
