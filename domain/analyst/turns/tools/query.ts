import { AppError } from '../../../../data/errors.ts';
import { derivedId, newId } from '../../../../data/ids.ts';
import { runQuery } from '../../../tables/query/run.ts';
import { insertResult, resultKey, storeRows } from '../../conversations/results.ts';
import { failingNotice, failingOf } from './failing-tests.ts';
import { pinnedViews } from './pinned-views.ts';
import { freshnessOf, staleNotice } from './staleness.ts';
import type { ToolAnswer, ToolCall } from './tool.ts';

/**
 * Maximum stored rows of a result, and size limit of the engine's answer, which is read into this process.
 */
const keptRows = 10_000;
const readCharacters = 8_000_000;
/** Maximum rows shown to the model, and their characters. */
const shownRows = 100;
const shownCharacters = 24_000;
const timeoutMs = 60_000;

export interface ToolRows {
  columns: { name: string; dataType: string }[];
  rows: unknown[][];
  rowCount: number;
  truncated: boolean;
  elapsedMs: number;
  scanned: { tableId: string; version: number }[];
  /** What the model learns about stale tables, and those whose tests fail, among those that were read. */
  notices: ReturnType<typeof staleNotice> & ReturnType<typeof failingNotice>;
}

/** Runs a statement over the tables and views visible to the turn, at its pinned versions. */
export async function queryAttached(call: ToolCall, sql: string, limit: number): Promise<ToolRows> {
  const { organizationId, callerId, actsFor, tables, dataVersions } = call;
  const within = new Set(tables.filter(({ kind }) => kind !== 'view').map(({ id }) => id));
  const { answer, scanned } = await runQuery(
    call.deps,
    {
      organizationId,
      callerId,
      actsFor,
      id: newId('qry'),
      sql,
      limit,
      timeoutMs,
      rowFormat: 'rows_with_column_order',
      atVersions: Object.fromEntries(
        dataVersions.flatMap(({ tableId, version }) => (within.has(tableId) ? [[tableId, version]] : [])),
      ),
      within,
      views: await pinnedViews(call, sql),
    },
    call.signal,
  );
  const read = new Set(answer.scannedRelationIds);
  // Not what a view reads by its definer's rights, which the asker may not.
  const visible = new Set([...tables.map(({ id }) => id), ...dataVersions.map(({ tableId }) => tableId)]);
  for (const id of read) if (visible.has(id)) call.reads.add(id);
  const behind = dataVersions.filter(({ tableId }) => read.has(tableId) && !within.has(tableId));
  const json = answer.rowsWithColumnOrderJson ?? '[]';
  if (json.length > readCharacters)
    throw new AppError(
      'query_too_large',
      'The rows have more than 8 million characters. Select fewer columns, or aggregate the rows.',
    );
  const { columns, rowCount, truncated, elapsedMs } = answer;
  const cells = JSON.parse(json) as { value: unknown }[][];
  const rows = cells.map((row) => row.map(({ value }) => value));
  const notices = {
    ...staleNotice((await freshnessOf(call, answer.scannedRelationIds)).values()),
    ...failingNotice(await failingOf(call, answer.scannedRelationIds)),
  };
  return { columns, rows, rowCount, truncated, elapsedMs, scanned: [...scanned, ...behind], notices };
}

/** The same, stored so that people see what the analyst saw; a second attempt stores it under the same id. */
export async function queryAndKeep(
  call: ToolCall,
  sql: string,
  title: string,
): Promise<ToolRows & Required<Pick<ToolAnswer, 'resultId' | 'record'>>> {
  const result = await queryAttached(call, sql, keptRows);
  const { deps, organizationId, conversationId, messageId, partIndex } = call;
  const resultId = derivedId('res', call.atMs, `${messageId}\n${partIndex}`);
  const objectKey = resultKey(organizationId, conversationId, resultId);
  await storeRows(deps.objects, objectKey, result.rows);
  const row = {
    organization_id: organizationId,
    id: resultId,
    conversation_id: conversationId,
    message_id: messageId,
    sql,
    title,
    columns: JSON.stringify(result.columns),
    row_count: result.rowCount,
    truncated: result.truncated,
    elapsed_ms: result.elapsedMs,
    scanned: JSON.stringify(result.scanned),
    object_key: objectKey,
  };
  return { ...result, resultId, record: (db) => insertResult(db, row) };
}

/** The rows that fit a prompt. */
export function shown(rows: readonly unknown[][]): unknown[][] {
  const taken: unknown[][] = [];
  let characters = 0;
  for (const row of rows.slice(0, shownRows)) {
    const cells = row.map(shortened);
    characters += JSON.stringify(cells).length;
    if (characters > shownCharacters && taken.length > 0) break;
    taken.push(cells);
  }
  return taken;
}

const longestCell = 1_000;

function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > longestCell)
    return `${value.slice(0, longestCell).toWellFormed()}…`;
  if (typeof value !== 'object' || value === null) return value;
  const json = JSON.stringify(value);
  return json.length > longestCell ? `${json.slice(0, longestCell).toWellFormed()}…` : value;
}

export const rowCountText = ({ rowCount, truncated }: Pick<ToolRows, 'rowCount' | 'truncated'>): string =>
  truncated ? `The first ${rowCount} rows.` : `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}.`;
