import type { Insertable } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import { conversationPrefix } from '../../../data/objects/keys.ts';
import { readText } from '../../../data/objects/read.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';

/** Rows returned by a tool; the rows themselves are stored as JSON objects in the object store. */
export type ToolResult = RecordOf<'tool_results'>;

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    tool_results: {
      columns: Document<{ name: string; dataType: string }[]>;
    };
  }
}

const results = records('tool_results', { prefix: 'res', what: 'The result' });

export function resultKey(organizationId: string, conversationId: string, id: string): string {
  return `${conversationPrefix(organizationId, conversationId)}results/${id}`;
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

/** Results of any conversation of a project, by their ids. */
export function resultsOfProject(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  ids: readonly string[],
): Promise<ToolResult[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('tool_results')
    .innerJoin('conversations', (join) =>
      join
        .onRef('conversations.organization_id', '=', 'tool_results.organization_id')
        .onRef('conversations.id', '=', 'tool_results.conversation_id'),
    )
    .selectAll('tool_results')
    .where('tool_results.organization_id', '=', organizationId)
    .where('tool_results.id', 'in', ids)
    .where('conversations.project_id', '=', projectId)
    .where('conversations.deleted_at', 'is', null)
    .execute();
}

/** Rows per stored object, so that a page of a result is read without the rest of it. */
const rowsPerObject = 1_000;

const chunkKey = (key: string, chunk: number): string => `${key}.${chunk}`;

/** Stores rows, by position. */
export async function storeRows(
  objects: Pick<ObjectStore, 'put'>,
  key: string,
  rows: readonly unknown[][],
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerObject) {
    const chunk = JSON.stringify(rows.slice(from, from + rowsPerObject));
    await objects.put(chunkKey(key, from / rowsPerObject), Buffer.from(chunk), 'application/json');
  }
}

/** Stored rows from a position on, by position; all of them by default. */
export async function readRows(
  objects: Pick<ObjectStore, 'read'>,
  { object_key: key, row_count: rowCount }: Pick<ToolResult, 'object_key' | 'row_count'>,
  from = 0,
  count = rowCount,
): Promise<unknown[][]> {
  const to = Math.min(rowCount, from + count);
  const first = Math.floor(from / rowsPerObject);
  const rows: unknown[][] = [];
  for (let chunk = first; chunk * rowsPerObject < to; chunk += 1)
    rows.push(...(JSON.parse(await readText(objects, chunkKey(key, chunk))) as unknown[][]));
  return rows.slice(from - first * rowsPerObject, to - first * rowsPerObject);
}
