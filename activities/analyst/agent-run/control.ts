import { beginAgentRun, endAgentRun } from '../../../domain/analyst/agent-runs/lifecycle.ts';
import type { AgentRunControlActivities } from '../../../workflows/analyst/agent-run/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function agentRunControlActivities({ db }: ActivityDeps): AgentRunControlActivities {
  return {
    /** Safe to retry: a run that has begun returns its turn. */
    beginAgentRun: (input) => beginAgentRun(db, input),
    /** Safe to retry: no effect on a run that has ended. */
    endAgentRun: (input) => endAgentRun(db, input, undefined),
  };
}
