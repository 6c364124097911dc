import { AppError, notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import { states } from '../../../data/postgres/states.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { type Conversation, updateConversation } from './conversations.ts';
import { appendEvents, type NewEvent } from './events.ts';
import { type QueuedMessageView, queuedMessageView } from './views.ts';

export type QueuedMessage = RecordOf<'queued_messages'>;

/** Maximum number of waiting messages in a conversation. */
export const maxWaiting = limits.conversations.waitingMessages.most;

const entries = records('queued_messages', { prefix: 'que', what: 'The queued message' });

export const { find: findQueued, insert: insertQueued } = entries;

/**
 * A waiting message's states. It becomes a turn within one transaction, so no intermediate state is visible.
 */
export const queuedStates = states('queued_messages', {
  queued: ['dispatched', 'failed', 'removed'],
  dispatched: [],
  failed: [],
  removed: [],
});

/** The entry of this conversation, in any state. */
export async function getQueued(
  db: OrganizationTransaction,
  { organization_id: organizationId, id: conversationId }: Pick<Conversation, 'organization_id' | 'id'>,
  id: string,
): Promise<QueuedMessage> {
  const row = await entries.get(db, organizationId, id);
  if (row.conversation_id !== conversationId) throw notFound('The queued message');
  return row;
}

/** The waiting entries in order, at most fifty. */
export function listWaiting(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Pick<Conversation, 'organization_id' | 'id'>,
): Promise<QueuedMessage[]> {
  return db
    .selectFrom('queued_messages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('conversation_id', '=', id)
    .where('status', '=', 'queued')
    .orderBy('position')
    .execute();
}

export async function countWaiting(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Pick<Conversation, 'organization_id' | 'id'>,
): Promise<number> {
  const { count } = await db
    .selectFrom('queued_messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('conversation_id', '=', id)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The waiting entries as clients see them, or those after the entry with this id, which may wait no more. */
export async function waitingViews(
  db: OrganizationTransaction,
  conversation: Conversation,
  after?: string,
): Promise<QueuedMessageView[]> {
  const rows = await listWaiting(db, conversation);
  const views = rows.map((row, index) => queuedMessageView(row, index + 1, conversation.queue_held));
  if (after === undefined) return views;
  const { position } = await getQueued(db, conversation, after);
  return views.filter((_, index) => rows[index]!.position > position);
}

/** An entry as clients see it, with its place in the queue. */
export async function queuedView(
  db: OrganizationTransaction,
  conversation: Conversation,
  row: QueuedMessage,
): Promise<QueuedMessageView> {
  if (row.status !== 'queued') return queuedMessageView(row, 0, false);
  const { ahead } = await db
    .selectFrom('queued_messages')
    .select(({ fn }) => fn.countAll<number>().as('ahead'))
    .where('organization_id', '=', row.organization_id)
    .where('conversation_id', '=', row.conversation_id)
    .where('status', '=', 'queued')
    .where('position', '<', row.position)
    .executeTakeFirstOrThrow();
  return queuedMessageView(row, Number(ahead) + 1, conversation.queue_held);
}

/** Appends the event that the queue changed: the changed entry, or only the hold. */
export async function queueChanged(
  db: OrganizationTransaction,
  conversation: Conversation,
  row: QueuedMessage | undefined,
): Promise<NewEvent> {
  return {
    event: 'queue.changed',
    data: {
      queueHeld: conversation.queue_held,
      waiting: await countWaiting(db, conversation),
      queuedMessage: row === undefined ? null : await queuedView(db, conversation, row),
    },
  };
}

/** Changes to a waiting message; omitted fields stay. */
export interface QueuedChange {
  message?: string | undefined;
  displayContent?: string | undefined;
  model?: string | undefined;
  effort?: QueuedMessage['effort'] | undefined;
}

/** Changes a waiting message. The caller holds the conversation's lock. */
export async function editQueued(
  db: OrganizationTransaction,
  conversation: Conversation,
  id: string,
  change: QueuedChange,
  { expectedRevision, editorId }: { expectedRevision: number | undefined; editorId: string },
): Promise<QueuedMessage> {
  const row = await waiting(db, conversation, id, expectedRevision);
  const { message, displayContent, model, effort } = change;
  const edited = await entries.update(db, row.organization_id, id, {
    // The answer has the rights of whoever wrote the question.
    ...(message === undefined ? {} : { message, created_by: editorId }),
    ...(displayContent === undefined ? {} : { display_content: displayContent }),
    // The text displayed instead of the old message does not apply to the new one.
    ...(message !== undefined && displayContent === undefined ? { display_content: null } : {}),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    revision: row.revision + 1,
  });
  await appendEvents(db, conversation, [await queueChanged(db, conversation, edited)]);
  return edited;
}

/**
 * Removes a waiting message from the queue; one already removed is returned again. The caller holds the
 * conversation's lock.
 */
export async function removeQueued(
  db: OrganizationTransaction,
  conversation: Conversation,
  id: string,
  expectedRevision: number | undefined,
): Promise<QueuedMessage> {
  const found = await getQueued(db, conversation, id);
  if (found.status === 'removed') return found;
  const row = await waiting(db, conversation, id, expectedRevision);
  const removed = await queuedStates.move(db, row, 'queued', 'removed', { revision: row.revision + 1 });
  await appendEvents(db, conversation, [await queueChanged(db, conversation, removed)]);
  return removed!;
}

async function waiting(
  db: OrganizationTransaction,
  conversation: Conversation,
  id: string,
  expectedRevision: number | undefined,
): Promise<QueuedMessage> {
  const row = await getQueued(db, conversation, id);
  if (row.status !== 'queued') {
    throw new AppError('conflict', `The message is no longer waiting. It is ${row.status}.`, {
      extensions: { state: row.status },
    });
  }
  if (expectedRevision !== undefined && expectedRevision !== row.revision) {
    throw new AppError(
      'revision_conflict',
      `The message has changed: its revision is now ${row.revision}. Read it again, then repeat the change.`,
      {
        extensions: { current_revision: row.revision },
      },
    );
  }
  return row;
}

/**
 * Resumes a held queue; one that is not held stays unchanged. The transaction holds the conversation's lock.
 */
export async function resumeQueue(
  db: OrganizationTransaction,
  conversation: Conversation,
): Promise<Conversation> {
  if (!conversation.queue_held) return conversation;
  const resumed = await updateConversation(db, conversation.organization_id, conversation.id, {
    queue_held: false,
    due_since: new Date(),
  });
  await appendEvents(db, resumed, [await queueChanged(db, resumed, undefined)]);
  return resumed;
}
