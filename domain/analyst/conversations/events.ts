import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { notify } from '../../../data/postgres/notifications.ts';
import type { Conversation } from './conversations.ts';
import type { Message } from './messages.ts';
import type { ApprovalView, MessageView, PartView, QueuedMessageView } from './views.ts';

/** All events of a conversation. A client that applies every event has the state that GET shows. */
export interface EventData {
  'message.created': { messageId: string; message: MessageView };
  'turn.started': {
    messageId: string;
    userMessageId: string;
    dataVersions: MessageView['dataVersions'];
  };
  'text.delta': { messageId: string; partIndex: number; text: string };
  'tool.started': { messageId: string; partIndex: number; part: PartView };
  /** The reply waits as long as any of its calls waits. */
  'approval.requested': { messageId: string; partIndex: number; part: PartView; approval: ApprovalView };
  'tool.finished': { messageId: string; partIndex: number; part: PartView };
  'chart.created': { messageId: string; partIndex: number; part: PartView };
  'report.created': { messageId: string; partIndex: number; part: PartView };
  'part.retracted': { messageId: string; partIndex: number };
  'turn.finished': {
    messageId: string;
    status: Message['status'];
    error: MessageView['error'];
    usage: MessageView['usage'];
    completedAt: string | null;
  };
  /** The changed entry, as its own GET shows it; null if only the hold changed. */
  'queue.changed': { queueHeld: boolean; waiting: number; queuedMessage: QueuedMessageView | null };
}

export type EventName = keyof EventData;
export type NewEvent = { [Name in EventName]: { event: Name; data: EventData[Name] } }[EventName];

/**
 * Numbers and appends events, in the transaction that holds the conversation's lock; readers are notified at
 * commit.
 */
export async function appendEvents(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Pick<Conversation, 'organization_id' | 'id'>,
  events: readonly NewEvent[],
): Promise<number> {
  const { last_event_id: last } = await db
    .updateTable('conversations')
    .set(({ eb }) => ({ last_event_id: eb('last_event_id', '+', events.length) }))
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning('last_event_id')
    .executeTakeFirstOrThrow();
  if (events.length === 0) return last;
  await db
    .insertInto('conversation_events')
    .values(
      events.map(({ event, data }, index) => ({
        organization_id: organizationId,
        conversation_id: id,
        id: last - events.length + 1 + index,
        event,
        data: JSON.stringify(data),
      })),
    )
    .execute();
  await notify(db, 'conversation_events', id);
  return last;
}

/**
 * Events after a number, oldest first, with their data as JSON text. Limited in number, because a reader
 * takes them in pieces.
 */
export async function eventsAfter(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
  after: number,
  atMost: number,
): Promise<{ id: number; event: string; data: string }[]> {
  return db
    .selectFrom('conversation_events')
    .select(['id', 'event', sql<string>`data::text`.as('data')])
    .where('organization_id', '=', organizationId)
    .where('conversation_id', '=', conversationId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(atMost)
    .execute();
}
