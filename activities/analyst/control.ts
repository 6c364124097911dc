import { beginAgentRun, endAgentRun } from '../../domain/analyst/agent-runs/lifecycle.ts';
import {
  advanceConversation,
  cancelTurn,
  failTurn,
  readDecisions,
} from '../../domain/analyst/conversations/lifecycle.ts';
import { removeConversation } from '../../domain/analyst/conversations/remove.ts';
import { failToolCall } from '../../domain/analyst/turns/tool-call.ts';
import type { AgentRunControlActivities } from '../../workflows/analyst/agent-run/contract.ts';
import type { ConversationControlActivities } from '../../workflows/analyst/conversation/contract.ts';
import type { ActivityDeps } from '../deps.ts';

export function agentRunControlActivities({ db }: ActivityDeps): AgentRunControlActivities {
  return {
    /** Safe to retry: a run that has begun returns its turn. */
    beginAgentRun: (input) => beginAgentRun(db, input),
    /** Safe to retry: no effect on a run that has ended. */
    endAgentRun: (input) => endAgentRun(db, input, undefined),
  };
}

export function conversationControlActivities(deps: ActivityDeps): ConversationControlActivities {
  const { db } = deps;
  return {
    /** Safe to retry: a turn that a lost attempt began is found as the one under way. */
    advanceConversation: (input) => advanceConversation(deps, input),

    /** Safe to retry: no effect on a reply that has ended. */
    failTurn: (turn, code) => failTurn(db, turn, code),

    /** Safe to retry: no effect on a reply that has ended. */
    cancelTurn: (turn) => cancelTurn(db, turn),

    /** Safe to retry: no effect on a call that has ended. */
    failToolCall: (turn, partIndex) => failToolCall(db, turn, partIndex),

    /** Safe to retry: reads only, and expiring an approval is idempotent. */
    readDecisions: (turn) => readDecisions(db, turn),

    /** Safe to retry: removes objects by prefix, then rows; both are idempotent. */
    removeConversation: (input) => removeConversation(deps, input),
  };
}

export const analystControlActivities = (deps: ActivityDeps) => ({
  ...agentRunControlActivities(deps),
  ...conversationControlActivities(deps),
});
