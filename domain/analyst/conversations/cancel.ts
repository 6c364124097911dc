import { notFound } from '../../../data/errors.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { type ConversationId, lockNamed } from './conversations.ts';
import { getMessage } from './messages.ts';
import { stopTurn } from './turns.ts';

export interface Cancelled {
  messageId: string;
  status: 'cancelled' | 'already_complete' | 'already_error';
  queueHeld: boolean;
}

export interface CancelOutcome {
  answer: Cancelled;
  /** False if the reply had already ended. */
  isChanged: boolean;
}

/** Stops a running reply; for an ended one, returns its outcome unchanged. */
export function cancelReply(db: Database, id: ConversationId, messageId: string): Promise<CancelOutcome> {
  return inOrganization(db, id.organizationId, async (transaction) => {
    const conversation = await lockNamed(transaction, id);
    const reply = await getMessage(transaction, id.organizationId, conversation.id, messageId);
    if (reply.role !== 'assistant') throw notFound('The reply');
    if (reply.status === 'complete' || reply.status === 'error')
      return {
        answer: { messageId, status: `already_${reply.status}`, queueHeld: conversation.queue_held },
        isChanged: false,
      };
    const isUnderWay = reply.status !== 'cancelled';
    const after = isUnderWay
      ? await stopTurn(transaction, conversation, reply, { holdsQueue: true })
      : conversation;
    return {
      answer: { messageId, status: 'cancelled', queueHeld: after.queue_held },
      isChanged: isUnderWay,
    };
  });
}
