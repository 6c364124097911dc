import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { notify } from '../../../data/postgres/notifications.ts';
import type { Conversation } from './conversations.ts';
import type { Message } from './messages.ts';
import type { ApprovalView, MessageView, PartView, QueuedMessageView } from './views.ts';

/** Everything that happens in a conversation. Whoever applies every event holds what GET shows. */
export interface EventData {
  'message.created': { messageId: string; message: MessageView };
  'turn.started': {
    messageId: string;
    userMessageId: string;
    dataVersions: MessageView['dataVersions'];
  };
  'text.delta': { messageId: string; partIndex: number; text: string };
  'tool.started': { messageId: string; partIndex: number; part: PartView };
  /** The reply waits for as long as one of its calls does. */
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
  /** The entry that changed, as its own GET shows it; null where only the hold did. */
  'queue.changed': { queueHeld: boolean; waiting: number; queuedMessage: QueuedMessageView | null };
}

export type EventName = keyof EventData;
export type NewEvent = { [Name in EventName]: { event: Name; data: EventData[Name] } }[EventName];

/** Whom to wake when a conversation has news. */
export const eventsChannel = 'conversation_events';

/**
 * Numbers events and adds them, in the transaction that holds their conversation; its readers hear of it at
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
  await notify(db, eventsChannel, id);
  return last;
}

/**
 * Events after a number, oldest first; their data as JSON text. Bounded in number, for a reader takes them in
 * pieces.
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
