import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { hiddenTableIds } from '../../tables/tables/grants.ts';
import type { Message } from './messages.ts';

/** The tables that a reply was made from. */
export const readBy = ({ reads, data_versions: pinned }: Pick<Message, 'reads' | 'data_versions'>) =>
  reads ?? pinned.map(({ tableId }) => tableId);

/**
 * Which of these replies were made from a table that the transaction's principal may not read: what came of
 * it is not shown.
 */
export async function withheldOf(
  db: OrganizationTransaction,
  messages: readonly Message[],
): Promise<ReadonlySet<string>> {
  const replies = messages.filter(({ role }) => role === 'assistant');
  if (replies.length === 0) return new Set();
  const hidden = await hiddenTableIds(db);
  return new Set(replies.filter((reply) => readBy(reply).some((id) => hidden.has(id))).map(({ id }) => id));
}

/** Events that have something of what a reply says. */
const saying = new Set([
  ...['text.delta', 'tool.started', 'tool.finished', 'approval.requested', 'chart.created', 'report.created'],
]);

/** The events without those that say something of a reply that is withheld. */
export async function withoutWithheld<Event extends { event: string; data: string }>(
  db: OrganizationTransaction,
  organizationId: string,
  events: readonly Event[],
): Promise<Event[]> {
  const hidden = await hiddenTableIds(db);
  if (hidden.size === 0 || !events.some(({ event }) => saying.has(event))) return [...events];
  const ids = new Map(
    events.map((event) => [event, (JSON.parse(event.data) as { messageId?: string }).messageId ?? '']),
  );
  const messages = await db
    .selectFrom('messages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', [...new Set(ids.values())])
    .execute();
  const withheld = await withheldOf(db, messages);
  return events.filter((event) => !(saying.has(event.event) && withheld.has(ids.get(event)!)));
}

/** Adds tables to those that a reply read. Without known reads, all its pinned tables count already. */
export async function addReads(
  db: OrganizationTransaction,
  { organizationId, messageId }: { organizationId: string; messageId: string },
  tableIds: readonly string[],
): Promise<void> {
  if (tableIds.length === 0) return;
  await db
    .updateTable('messages')
    .set({
      reads: sql`ARRAY(SELECT DISTINCT unnest(reads || ${[...tableIds]}::text[]) ORDER BY 1)`,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', messageId)
    .where('reads', 'is not', null)
    .execute();
}
