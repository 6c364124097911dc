import {
  advanceConversation,
  cancelTurn,
  failTurn,
  readDecisions,
} from '../../../domain/analyst/conversations/lifecycle.ts';
import { removeConversation } from '../../../domain/analyst/conversations/remove.ts';
import { failToolCall } from '../../../domain/analyst/turns/tool-call.ts';
import type { ConversationControlActivities } from '../../../workflows/analyst/conversation/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function conversationControlActivities(deps: ActivityDeps): ConversationControlActivities {
  const { db } = deps;
  return {
    /** Safe to retry: a turn that a lost try began is the one under way. */
    advanceConversation: (input) => advanceConversation(deps, input),

    /** Safe to retry: a reply that ended stays as it ended. */
    failTurn: (turn, code) => failTurn(db, turn, code),

    /** Safe to retry: a reply that ended stays as it ended. */
    cancelTurn: (turn) => cancelTurn(db, turn),

    /** Safe to retry: a call that ended stays as it ended. */
    failToolCall: (turn, partIndex) => failToolCall(db, turn, partIndex),

    /** Safe to retry: reads, and what expired stays so. */
    readDecisions: (turn) => readDecisions(db, turn),

    /** Safe to retry: removes objects by prefix, then rows; what is gone is gone. */
    removeConversation: (input) => removeConversation(deps, input),
  };
}
