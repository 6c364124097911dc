import type { FaultClient } from '../client.ts';
import { createRandom } from '../random.ts';
import { explained } from '../runs.ts';
import type { Lane, LoadContext } from './context.ts';
import { endOf } from './ends.ts';
import { pauseBetween } from './rows-lanes.ts';

/** Calculated tables over the table that is appended to: a view, two branches, and two that join them. */
export interface Shaped {
  /** Ids of the calculated tables, by name. */
  tables: Record<string, string>;
  /** The most rows of the source that a reader has seen in a branch. */
  seen: number;
}

/** Each branch is refreshed incrementally where it can be; what joins them is built anew. */
const definitions = {
  shaped_groups: 'SELECT op_no, count(*) AS seen, max(expected) AS expected FROM shaped_view GROUP BY op_no',
  shaped_rows: 'SELECT s_id, op_no, expected FROM shaped_view',
  shaped_both:
    'SELECT (SELECT count(*) FROM shaped_rows) AS row_count, (SELECT sum(seen) FROM shaped_groups) AS in_groups',
  shaped_top: 'SELECT b.row_count, count(*) AS operations FROM shaped_groups, shaped_both b GROUP BY ALL',
} as const;

export async function prepareShaped(client: FaultClient): Promise<Shaped> {
  const create = async (path: string, body: unknown) => {
    const settled = await client.settle({ kind: 'shaped table', method: 'POST', path, body });
    if (settled.outcome !== 'acknowledged') throw new Error(`${path}: ${JSON.stringify(settled)}`);
    return settled.answer.body.data ?? {};
  };
  const view = { name: 'shaped_view', query: 'SELECT s_id, op_no, expected FROM appends WHERE s_id > 0' };
  await create('/v1/views', view);
  const tables: Record<string, string> = {};
  for (const [name, query] of Object.entries(definitions))
    tables[name] = String((await create('/v1/grid/tables', { name, query }))['tableId']);
  return { tables, seen: 0 };
}

/** Two that bring overlapping graphs up to date at once, and one that looks. */
export function shapingLanes(context: LoadContext, seed: number): Lane[] {
  return [
    syncLane(context, seed, 'shaped_top'),
    syncLane(context, seed, 'shaped_both'),
    shapedReaderLane(context, seed),
  ];
}

function syncLane(context: LoadContext, seed: number, name: string): Lane {
  const random = createRandom(seed, `sync ${name}`);
  return {
    name: `sync ${name}`,
    async step() {
      const isCancelled = random.chance(0.15);
      await sync(context, name, isCancelled ? random.int(0, 1_500) : undefined);
      await pauseBetween(context, random.int(50, 1_500));
    },
  };
}

/** Brings a table up to date; whether that succeeded. */
async function sync(context: LoadContext, name: string, cancelAfterMs: number | undefined): Promise<boolean> {
  const { client, journal, shaped } = context;
  const known = acknowledged(context);
  const path = `/v1/grid/tables/${shaped.tables[name]}`;
  const started = await client.settle({ kind: 'sync', method: 'POST', path: `${path}/sync`, body: {} });
  if (started.outcome !== 'acknowledged') {
    if (started.outcome === 'refused')
      journal.breach('unexpected', `sync of ${name}: ${JSON.stringify(started.answer.body)}`);
    return false;
  }
  const run = `${path}/runs/${started.answer.body.data?.['id']}`;
  if (cancelAfterMs !== undefined) {
    await pauseBetween(context, cancelAfterMs);
    await client.settle({ kind: 'cancel of a sync', method: 'POST', path: `${run}/cancel?confirm=true` });
  }
  const ended = await endOf(context, run);
  if (ended === undefined) {
    if (!context.signal.aborted) journal.breach('buildStuck', `${name}: ${run}`);
    return false;
  }
  const { status, error, output } = ended as {
    status: string;
    error: { code: string } | null;
    output: unknown;
  };
  journal.count('syncs', status);
  for (const { mode } of (output as { materialized: { mode: string }[] } | null)?.materialized ?? [])
    journal.count('builds', mode);
  // Another caller may have the same run, and cancel it.
  if (status === 'failed' && !explained.includes(error?.code ?? ''))
    journal.breach('buildEnd', `${name}: ${run}: ${JSON.stringify(error)}`);
  if (status === 'succeeded') await look(context, known);
  return status === 'succeeded';
}

/** Operations on the source whose rows everything that begins from now on must have. */
const acknowledged = ({ model }: LoadContext): Set<number> =>
  new Set(model.acknowledged('appends').map(({ operation }) => operation.no));

function shapedReaderLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'shaped reader');
  return {
    name: 'shaped reader',
    async step() {
      await look(context, new Set());
      await pauseBetween(context, random.int(200, 1_000));
    },
  };
}

/** Whatever is built at the moment, each table is one whole state of what it was made from. */
async function look(context: LoadContext, known: ReadonlySet<number>): Promise<void> {
  const { journal, shaped } = context;
  const seenBefore = shaped.seen;
  const groups = await rowsOf(context, 'SELECT op_no, seen, expected FROM shaped_groups');
  if (groups !== undefined) {
    journal.count('readers', 'calculated groups looked through');
    for (const { opNo, seen, expected } of groups)
      if (seen !== expected) journal.breach('buildTorn', `groups: ${seen} of ${expected} rows of ${opNo}`);
    compareKnown(context, 'groups', groups, known);
  }
  const sql =
    'SELECT op_no, count(*) AS seen, count(DISTINCT s_id) AS ids, max(expected) AS expected FROM shaped_rows GROUP BY op_no';
  const rows = await rowsOf(context, sql);
  if (rows !== undefined) {
    journal.count('readers', 'calculated rows looked through');
    for (const { opNo, seen, ids, expected } of rows)
      if (seen !== expected || ids !== expected)
        journal.breach('buildTorn', `rows: ${seen} rows, ${ids} ids of ${expected} of operation ${opNo}`);
    compareKnown(context, 'rows', rows, known);
    const total = rows.reduce((sum, { seen }) => sum + Number(seen), 0);
    if (total < seenBefore) journal.breach('buildBack', `rows: ${total} after ${seenBefore}`);
    shaped.seen = Math.max(shaped.seen, total);
  }
  const both = await rowsOf(context, 'SELECT row_count, in_groups FROM shaped_both');
  for (const { rowCount, inGroups } of both ?? [])
    if (Number(rowCount) !== Number(inGroups ?? 0))
      journal.breach('buildTorn', `both: ${rowCount} rows beside ${inGroups} in groups`);
}

function compareKnown(
  { journal }: LoadContext,
  what: string,
  rows: readonly Record<string, unknown>[],
  known: ReadonlySet<number>,
): void {
  const found = new Set(rows.map(({ opNo }) => Number(opNo)));
  for (const operation of known)
    if (!found.has(operation))
      journal.breach('buildBehind', `${what} lack operation ${operation}, acknowledged before their sync`);
}

/** Undefined while it was never built, or parts of the stack are away. */
async function rowsOf({ client }: LoadContext, sql: string): Promise<Record<string, unknown>[] | undefined> {
  const body = { sql, limit: 10_000, row_format: 'rows', timeout_ms: 6_000 };
  const path = '/v1/query-executions';
  const answer = await client.attempt({ kind: 'shaped query', method: 'POST', path, body });
  const isWhole = answer?.status === 200 && answer.body.data?.['truncated'] === false;
  return isWhole ? (answer.body.data?.['rows'] as Record<string, unknown>[]) : undefined;
}

/** When all is up again, one sync makes everything what it is made from. */
export async function finishShaped(context: LoadContext): Promise<void> {
  const { client, journal, shaped, signal } = context;
  for (let tries = 0; tries < 5 && !signal.aborted; tries += 1)
    if (await sync(context, 'shaped_top', undefined)) break;
  for (const [name, id] of Object.entries(shaped.tables)) {
    const path = `/v1/grid/tables/${id}/status`;
    const settled = await client.settle({ kind: 'shaped status', method: 'GET', path });
    const status =
      settled.outcome === 'acknowledged' ? settled.answer.body.data?.['status'] : settled.outcome;
    if (status !== 'fresh') journal.breach('buildStuck', `${name} is ${String(status)} in the end`);
  }
  const [row] =
    (await rowsOf(context, 'SELECT (SELECT count(*) FROM appends) AS source, row_count FROM shaped_top')) ??
    [];
  if (row === undefined || Number(row['source']) !== Number(row['rowCount']))
    journal.breach('buildBehind', `in the end: ${JSON.stringify(row)}`);
}
