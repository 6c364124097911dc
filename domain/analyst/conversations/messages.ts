import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';

export type Message = RecordOf<'messages'>;
/** A part as users see it, without what only the model was shown. */
export type MessagePart = Omit<Selectable<DB['message_parts']>, 'output' | 'app_tool' | 'attempted_at'>;

export interface DataVersion {
  tableId: string;
  version: number;
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    messages: {
      data_versions: DefaultedDocument<DataVersion[]>;
    };
  }
}

const messages = records('messages', { prefix: 'msg', what: 'The message' });

export const { find: findMessage, insert: insertMessage, update: updateMessage } = messages;

/** A reply's states; a user's message is complete from the start. Ended replies are final. */
export const replyStates = states(
  'messages',
  {
    streaming: ['waiting_approval', 'complete', 'error', 'cancelled'],
    waiting_approval: ['streaming', 'complete', 'error', 'cancelled'],
    complete: [],
    error: [],
    cancelled: [],
  },
  (_to, isEnd) => (isEnd ? { completed_at: new Date() } : {}),
);

/** The message of this conversation. */
export async function getMessage(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
  id: string,
): Promise<Message> {
  const row = await messages.get(db, organizationId, id);
  if (row.conversation_id !== conversationId) throw notFound('The message');
  return row;
}

/** The running reply, if any; there is at most one. */
export function activeReply(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
): Promise<Message | undefined> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('conversation_id', '=', conversationId)
    .where('status', 'in', ['streaming', 'waiting_approval'])
    .executeTakeFirst();
}

/** Numbers of the organization's replies that are being worked on, and that wait for it. */
export async function countTurns(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<{ started: number; waiting: number }> {
  const { started, waiting } = await db
    .selectFrom('messages')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('started_at', 'is not', null).as('started'),
      fn.countAll<number>().filterWhere('started_at', 'is', null).as('waiting'),
    ])
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'streaming')
    .executeTakeFirstOrThrow();
  return { started: Number(started), waiting: Number(waiting) };
}

/** Newest first, before a position. */
export function listMessages(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<Message[]> {
  let query = db
    .selectFrom('messages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('conversation_id', '=', conversationId);
  if (after !== undefined) query = query.where('position', '<', after);
  return query.orderBy('position', 'desc').limit(limit).execute();
}

/** Size limit of a tool's input as shown; the text of a report is in the report. */
const shownInputCharacters = 4_000;

const shownColumns = [
  'organization_id',
  'message_id',
  'part_index',
  'step',
  'type',
  'text',
  'tool_call_id',
  'name',
  'status',
  'summary',
  'result_id',
  'elapsed_ms',
  'resource_id',
  'title',
] as const;

const shownInput = sql<MessagePart['input']>`
  CASE WHEN length(input::text) > ${shownInputCharacters}
    THEN jsonb_build_object('cut', true, 'beginning', left(input::text, 1000)) ELSE input END`.as('input');

/** The parts of messages, in order, by message. */
export async function partsOf(
  db: OrganizationTransaction,
  organizationId: string,
  messageIds: readonly string[],
): Promise<Map<string, MessagePart[]>> {
  const parts = new Map<string, MessagePart[]>();
  if (messageIds.length === 0) return parts;
  const rows = await db
    .selectFrom('message_parts')
    .select(shownColumns)
    .select(shownInput)
    .where('organization_id', '=', organizationId)
    .where('message_id', 'in', [...messageIds])
    .orderBy('message_id')
    .orderBy('part_index')
    .execute();
  for (const row of rows) {
    const known = parts.get(row.message_id);
    if (known === undefined) parts.set(row.message_id, [row]);
    else known.push(row);
  }
  return parts;
}

export async function updatePart(
  db: OrganizationTransaction,
  { organization_id: organizationId, message_id: messageId, part_index: index }: PartKey,
  change: Updateable<DB['message_parts']>,
): Promise<MessagePart> {
  return db
    .updateTable('message_parts')
    .set(change)
    .where('organization_id', '=', organizationId)
    .where('message_id', '=', messageId)
    .where('part_index', '=', index)
    .returning(shownColumns)
    .returning(shownInput)
    .executeTakeFirstOrThrow();
}

export type PartKey = Pick<MessagePart, 'organization_id' | 'message_id' | 'part_index'>;

/** Appends parts to a reply; the caller holds its conversation's lock. */
export async function addParts(
  db: OrganizationTransaction,
  { organization_id: organizationId, id: messageId }: Pick<Message, 'organization_id' | 'id'>,
  parts: readonly NewPart[],
): Promise<MessagePart[]> {
  if (parts.length === 0) return [];
  const last = await db
    .selectFrom('message_parts')
    .select(({ fn }) => fn.max('part_index').as('index'))
    .where('organization_id', '=', organizationId)
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  const first = (last?.index ?? -1) + 1;
  return db
    .insertInto('message_parts')
    .values(
      parts.map((part, index) => ({
        ...part,
        organization_id: organizationId,
        message_id: messageId,
        part_index: first + index,
      })),
    )
    .returning(shownColumns)
    .returning(shownInput)
    .execute();
}

/** A tool call's complete input, and the app's tool, if it is one. */
export async function callOf(
  db: OrganizationTransaction,
  key: PartKey,
): Promise<{ input: unknown; app_tool: unknown }> {
  return db
    .selectFrom('message_parts')
    .select(['input', 'app_tool'])
    .where('organization_id', '=', key.organization_id)
    .where('message_id', '=', key.message_id)
    .where('part_index', '=', key.part_index)
    .executeTakeFirstOrThrow();
}

/**
 * Records that a call with possible side effects has begun. False if an earlier attempt began it, or if it
 * has ended meanwhile: a slow attempt must not make a call after a Stop, or one that was already reported to
 * the model as failed.
 */
export async function beginAttempt(db: OrganizationTransaction, key: PartKey): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('message_parts')
    .set({ attempted_at: new Date() })
    .where('organization_id', '=', key.organization_id)
    .where('message_id', '=', key.message_id)
    .where('part_index', '=', key.part_index)
    .where('status', '=', 'running')
    .where('attempted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Reverts that record, because nothing was begun. */
export async function endAttempt(db: OrganizationTransaction, key: PartKey): Promise<void> {
  await db
    .updateTable('message_parts')
    .set({ attempted_at: null })
    .where('organization_id', '=', key.organization_id)
    .where('message_id', '=', key.message_id)
    .where('part_index', '=', key.part_index)
    .execute();
}

export type NewPart = Omit<Insertable<DB['message_parts']>, 'organization_id' | 'message_id' | 'part_index'>;
