import { isDeepStrictEqual } from 'node:util';
import type { LoadContext } from './load/context.ts';
import { type Row, type TableKey, tableKeys } from './rows.ts';

/** Compares every row of every table with what was acknowledged, and the sync's checkpoint as well. */
export async function compareTables(context: LoadContext): Promise<void> {
  for (const table of tableKeys) await compareTable(context, table);
  const { model, journal } = context;
  for (const { operation } of model.open())
    journal.breach('unresolved', `operation ${operation.no} in ${operation.table}`);
  await compareCheckpoint(context);
}

async function compareTable(context: LoadContext, table: TableKey): Promise<void> {
  const { journal, model } = context;
  const found = await allRows(context, table);
  const expected = model.expectedRows(table, new Set(found.map((row) => row.op_no)));
  const seen = new Set<number>();
  for (const row of found) {
    const wanted = expected.get(row.s_id);
    const label = `${table} s_id ${row.s_id} of operation ${row.op_no}`;
    if (seen.has(row.s_id)) journal.breach('doubled', label);
    else if (wanted === undefined)
      journal.breach('unaccounted', `${label}, which is ${model.find(row.op_no)?.fate ?? 'unknown'}`);
    else if (!isDeepStrictEqual(row, wanted))
      journal.breach('altered', `${label}: expected operation ${wanted.op_no}, ${JSON.stringify(row)}`);
    seen.add(row.s_id);
  }
  for (const [id, row] of expected)
    if (!seen.has(id)) journal.breach('missing', `${table} s_id ${id} of operation ${row.op_no}`);
  journal.count('compared row by row', `rows of ${table}`, found.length);
  await compareCount(context, table, found.length);
}

/** Reading pages by s_id could miss a second row with the same id; counting in SQL does not. */
async function compareCount({ client, journal }: LoadContext, table: TableKey, rows: number): Promise<void> {
  // By its files, and through the lake, which alone has a column that the second text names.
  for (const way of ['', "WHERE 'filename' <> ''"]) {
    const sql = `SELECT count(*) AS rows, count(DISTINCT s_id) AS ids FROM ${table} ${way}`;
    const settled = await client.settle({
      kind: 'query',
      method: 'POST',
      path: '/v1/query-executions',
      body: { sql, row_format: 'rows' },
    });
    const data = settled.outcome === 'acknowledged' ? settled.answer.body.data : undefined;
    const [counted] = (data?.['rows'] ?? []) as Record<string, unknown>[];
    if (Number(counted?.['rows']) !== rows || Number(counted?.['ids']) !== rows)
      journal.breach('doubled', `${table}: ${JSON.stringify(counted)} in SQL ${way}, ${rows} rows read`);
  }
}

async function allRows({ client, tables }: LoadContext, table: TableKey): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null | undefined;
  do {
    const after = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const path = `/v1/tables/${tables[table]}/rows?limit=200${after}`;
    const settled = await client.settle({ kind: 'rows', method: 'GET', path });
    if (settled.outcome !== 'acknowledged')
      throw new Error(`${table} cannot be read: ${JSON.stringify(settled)}`);
    for (const { s_id, item, op_no, expected, value, checksum } of settled.answer.body.items ?? [])
      rows.push({ s_id, item, op_no, expected, value, checksum } as Row);
    cursor = settled.answer.body.nextCursor;
  } while (cursor);
  return rows;
}

async function compareCheckpoint({ client, journal, model, sync }: LoadContext): Promise<void> {
  const newest = model.acknowledged('snapshot').toSorted((a, b) => b.version - a.version)[0];
  const path = `/v1/data-syncs/${sync.id}/checkpoint`;
  const settled = await client.settle({ kind: 'checkpoint', method: 'GET', path });
  const acknowledged = settled.outcome === 'acknowledged' ? settled.answer.body.data : undefined;
  const given = (acknowledged?.['checkpoint'] as { operation?: number } | null | undefined)?.operation;
  if (given !== newest?.operation.no && model.open().every(({ operation }) => operation.table !== 'snapshot'))
    journal.breach('checkpoint', `${JSON.stringify(acknowledged)}, and the last is ${newest?.operation.no}`);
}
