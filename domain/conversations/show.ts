import { type Database, inOneMoment, type OrganizationTransaction } from '../../data/postgres/client.ts';
import { type Conversation, type ConversationId, getConversation } from './conversations.ts';
import { listMessages, type Message, type MessagePart, partsOf } from './messages.ts';
import { waitingViews } from './queue.ts';
import { type MessageView, messageView, type QueuedMessageView } from './views.ts';

/** Messages that a conversation is shown with. */
const shownMessages = 100;

export interface ShownConversation {
  conversation: Conversation;
  /** Oldest first. */
  messages: MessageView[];
  /** Where older ones go on, if there are any. */
  older: number | undefined;
  activeTurn: MessageView | null;
  queuedTurns: QueuedMessageView[];
  /** The event up to which all of it holds. */
  lastEventId: number;
}

/** A conversation as it is at one moment, and so at one event. */
export function showConversation(db: Database, id: ConversationId): Promise<ShownConversation> {
  return inOneMoment(db, id.organizationId, (transaction) => readConversation(transaction, id));
}

async function readConversation(db: OrganizationTransaction, id: ConversationId): Promise<ShownConversation> {
  const conversation = await getConversation(db, id);
  const rows = await listMessages(db, id.organizationId, conversation.id, {
    after: undefined,
    limit: shownMessages + 1,
  });
  const shown = rows.slice(0, shownMessages).reverse();
  const messages = await withParts(db, id.organizationId, shown);
  const views = messages.map(({ message, parts }) => messageView(message, parts));
  const active = views.find(({ status }) => status === 'streaming' || status === 'waiting_approval');
  return {
    conversation,
    messages: views,
    older: rows.length > shownMessages ? shown[0]!.position : undefined,
    activeTurn: active ?? null,
    queuedTurns: await waitingViews(db, conversation),
    lastEventId: conversation.last_event_id,
  };
}

export interface WholeMessage {
  id: string;
  message: Message;
  parts: MessagePart[];
}

/** Messages with what they are made of. */
export async function withParts(
  db: OrganizationTransaction,
  organizationId: string,
  messages: readonly Message[],
): Promise<WholeMessage[]> {
  const replies = messages.filter(({ role }) => role === 'assistant').map(({ id }) => id);
  const parts = await partsOf(db, organizationId, replies);
  return messages.map((message) => ({ id: message.id, message, parts: parts.get(message.id) ?? [] }));
}
