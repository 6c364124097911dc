import type { Insertable } from 'kysely';
import { notFound } from '../../data/errors.ts';
import { conversationPrefix } from '../../data/objects/keys.ts';
import { readText } from '../../data/objects/read.ts';
import type { ObjectStore } from '../../data/objects/store.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { type RecordOf, records } from '../../data/postgres/records.ts';
import type { DB } from '../../data/postgres/schema.ts';

/** Rows that a tool answered; they themselves are an object of JSON, by position. */
export type ToolResult = RecordOf<'tool_results'>;

const results = records('tool_results', { prefix: 'res', what: 'The result' });

export function resultKey(organizationId: string, conversationId: string, id: string): string {
  return `${conversationPrefix(organizationId, conversationId)}results/${id}.json`;
}

export function insertResult(
  db: OrganizationTransaction,
  row: Insertable<DB['tool_results']>,
): Promise<ToolResult> {
  return results.insert(db, row);
}

export async function findResult(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
  id: string,
): Promise<ToolResult | undefined> {
  const row = await results.find(db, organizationId, id);
  return row?.conversation_id === conversationId ? row : undefined;
}

export async function getResult(
  db: OrganizationTransaction,
  organizationId: string,
  conversationId: string,
  id: string,
): Promise<ToolResult> {
  const row = await findResult(db, organizationId, conversationId, id);
  if (row === undefined) throw notFound('The result');
  return row;
}

/** Every kept row, by position: some MiB at most. */
export async function readResult(
  objects: Pick<ObjectStore, 'read'>,
  row: Pick<ToolResult, 'object_key'>,
): Promise<unknown[][]> {
  return JSON.parse(await readText(objects, row.object_key)) as unknown[][];
}
