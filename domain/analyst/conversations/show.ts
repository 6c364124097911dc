import { sql } from 'kysely';
import { type Database, inOneMoment, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { countFitting } from '../../../data/postgres/page-bytes.ts';
import { type Conversation, type ConversationId, getConversation } from './conversations.ts';
import { listMessages, type Message, type MessagePart, partsOf } from './messages.ts';
import { waitingViews } from './queue.ts';
import { type MessageView, messageView, type QueuedMessageView } from './views.ts';
import { withheldOf } from './withheld.ts';

/** Number of messages shown with a conversation. */
const shownMessages = 100;

export interface ShownConversation {
  conversation: Conversation;
  /** Oldest first. */
  messages: MessageView[];
  /** Position at which older messages continue, if there are any. */
  older: number | undefined;
  activeTurn: MessageView | null;
  queuedTurns: QueuedMessageView[];
  /** The last event included in this state. */
  lastEventId: number;
}

/** A consistent view of a conversation, and so of its state at one event. */
export function showConversation(db: Database, id: ConversationId): Promise<ShownConversation> {
  return inOneMoment(db, id.organizationId, (transaction) => readConversation(transaction, id));
}

async function readConversation(db: OrganizationTransaction, id: ConversationId): Promise<ShownConversation> {
  const conversation = await getConversation(db, id);
  const { rows, shown } = await pageOfMessages(db, id.organizationId, conversation.id, {
    after: undefined,
    limit: shownMessages + 1,
  });
  const page = rows.slice(0, Math.min(shown, shownMessages)).reverse();
  const messages = await withParts(db, id.organizationId, page);
  const views = messages.map(({ message, ...shown }) => messageView(message, shown));
  const active = views.find(({ status }) => status === 'streaming' || status === 'waiting_approval');
  return {
    conversation,
    messages: views,
    older: rows.length > page.length ? page[0]!.position : undefined,
    activeTurn: active ?? null,
    queuedTurns: await waitingViews(db, conversation),
    lastEventId: conversation.last_event_id,
  };
}

export interface WholeMessage {
  id: string;
  message: Message;
  parts: MessagePart[];
  /** It was made from a table that the reader may not read. */
  isWithheld: boolean;
}

/**
 * Newest first, before a position, with the number of messages that fit a page; a page of long messages is
 * shorter.
 */
export async function pageOfMessages(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<{ rows: Message[]; shown: number }> {
  const { rows: sizes } = await sql<{ bytes: number }>`
    SELECT octet_length(m.content) + coalesce((
      SELECT sum(octet_length(p.text) + least(octet_length(p.input::text), 4000)) FROM message_parts p
      WHERE p.organization_id = m.organization_id AND p.message_id = m.id), 0)::bigint AS bytes
    FROM messages m
    WHERE m.organization_id = ${organizationId} AND m.conversation_id = ${conversationId}
      AND (${after ?? null}::bigint IS NULL OR m.position < ${after ?? null})
    ORDER BY m.position DESC LIMIT ${limit}`.execute(db);
  const shown = countFitting(sizes.map(({ bytes }) => bytes));
  const slice = { after, limit: Math.min(limit, shown + 1) };
  return { rows: await listMessages(db, organizationId, conversationId, slice), shown };
}

/** Messages with their parts. */
export async function withParts(
  db: OrganizationTransaction,
  organizationId: string,
  messages: readonly Message[],
): Promise<WholeMessage[]> {
  const replies = messages.filter(({ role }) => role === 'assistant').map(({ id }) => id);
  const [parts, withheld] = [await partsOf(db, organizationId, replies), await withheldOf(db, messages)];
  return messages.map((message) => {
    const isWithheld = withheld.has(message.id);
    return { id: message.id, message, parts: isWithheld ? [] : (parts.get(message.id) ?? []), isWithheld };
  });
}
