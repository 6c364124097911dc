import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';

export type Conversation = RecordOf<'conversations'>;

/** Identifies a conversation in requests. */
export interface ConversationId {
  organizationId: string;
  projectId: string;
  conversationId: string;
}

const conversations = records('conversations', { prefix: 'cnv', what: 'The conversation' });

export const {
  find: findConversation,
  insert: insertConversation,
  update: updateConversation,
} = conversations;

export async function getConversation(
  db: OrganizationTransaction,
  { organizationId, projectId, conversationId }: ConversationId,
): Promise<Conversation> {
  const row = await conversations.get(db, organizationId, conversationId);
  if (row.project_id !== projectId || !isSeen(row)) throw notFound('The conversation');
  return row;
}

/** Users see neither deleted conversations nor those in which a run's analyst works. */
const isSeen = (row: Conversation): boolean => row.deleted_at === null && row.run_id === null;

/**
 * The conversation, locked for the transaction. Every change to its messages, its queue or its events locks
 * it first, so that they have one order. Also returns a deleted one.
 */
export async function lockConversation(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
): Promise<Conversation | undefined> {
  return conversations.find(db, organizationId, conversationId, 'update');
}

/** The same for a request, for which a deleted conversation does not exist. */
export async function lockNamed(db: OrganizationTransaction, id: ConversationId): Promise<Conversation> {
  const row = await lockConversation(db, id.organizationId, id.conversationId);
  if (row === undefined || row.project_id !== id.projectId || !isSeen(row))
    throw notFound('The conversation');
  return row;
}

/** A conversation's position in the list: its latest activity (ISO 8601) and its id. */
export type ConversationPlace = [string, string];

/** By latest activity. */
export async function listConversations(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  { after, limit }: { after: ConversationPlace | undefined; limit: number },
): Promise<Conversation[]> {
  let query = db
    .selectFrom('conversations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .where('run_id', 'is', null);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('updated_at', 'id'), '<', tuple(new Date(after[0]), after[1])),
    );
  }
  return query.orderBy('updated_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Default title: the beginning of the first message. */
export function titleOf(message: string): string {
  const line = message.trim().split('\n', 1)[0]!.trim();
  const characters = [...line];
  return characters.length <= 80 ? line : `${characters.slice(0, 79).join('')}…`;
}
