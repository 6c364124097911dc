import { setTimeout as delay } from 'node:timers/promises';
import type { LoadContext } from './load/context.ts';
import { createRandom } from './random.ts';
import { type TableKey, tableKeys } from './rows.ts';

/** What a reader sees of one operation, or of one lane's keys and their operation. */
interface Group {
  lane: number;
  no: number;
  seen: number;
  least: number;
  most: number;
}

/**
 * Reads one table after the other as long as there is load: only complete operations, in a replaced table
 * exactly one, and everything that was acknowledged before the read began.
 */
export async function read(
  context: LoadContext,
  seed: number,
  reader: number,
  isOver: () => boolean,
): Promise<void> {
  const random = createRandom(seed, `reader ${reader}`);
  while (!isOver() && !context.signal.aborted) {
    await readOnce(context, random.pick(tableKeys), random.pick(ways));
    await delay(random.int(50, 300), undefined, { signal: context.signal }).catch(() => {});
  }
}

/** By files, and through the lake, which alone has a column that this text names. */
const ways = ['', "WHERE 'filename' <> ''"];

async function readOnce(context: LoadContext, table: TableKey, way: string): Promise<void> {
  const { client, journal } = context;
  const before = knownOf(context, table);
  const sql = `SELECT s_id // 1000 AS owner, op_no, count(*) AS seen, min(expected) AS least, max(expected) AS most FROM ${table} ${way} GROUP BY ALL`;
  const body = { sql, limit: 10_000, row_format: 'rows', timeout_ms: 6_000 };
  const answer = await client.attempt({ kind: 'query', method: 'POST', path: '/v1/query-executions', body });
  if (answer?.status !== 200) return;
  const rows = (answer.body.data?.['rows'] ?? []) as Record<string, unknown>[];
  const groups = rows.map((row) => ({
    lane: Number(row['owner']),
    no: Number(row['opNo']),
    seen: Number(row['seen']),
    least: Number(row['least']),
    most: Number(row['most']),
  }));
  journal.count('readers', `${table} answers looked through`);
  for (const fault of faultsOf(table, groups)) journal.breach('half', `${table}: ${fault}`);
  if (answer.body.data?.['truncated'] !== true)
    for (const fault of absentOf(context, table, groups, before))
      journal.breach('invisible', `${table}: ${fault}`);
}

function faultsOf(table: TableKey, groups: readonly Group[]): string[] {
  const partial = groups
    .filter(({ seen, least, most }) => seen !== most || least !== most)
    .map(({ no, seen, most }) => `${seen} of ${most} rows of operation ${no}`);
  if (table === 'items') {
    // A lane's keys are always written together.
    const lanes = groups.map(({ lane }) => lane);
    const torn = lanes.filter((lane, index) => lanes.indexOf(lane) !== index);
    return [...partial, ...torn.map((lane) => `rows of several operations in lane ${lane}`)];
  }
  if (table !== 'appends' && groups.length > 1)
    partial.push(`rows of operations ${groups.map(({ no }) => no).join(' and ')} at once`);
  return partial;
}

/** What every read that begins from now on must see. */
function knownOf({ model }: LoadContext, table: TableKey) {
  const entries = model.acknowledged(table);
  return { count: entries.length, version: Math.max(-1, ...entries.map(({ version }) => version)) };
}

function absentOf(
  { model }: LoadContext,
  table: TableKey,
  groups: readonly Group[],
  before: { count: number; version: number },
): string[] {
  const known = model.acknowledged(table).slice(0, before.count);
  const seen = new Set(groups.map(({ no }) => no));
  if (table === 'appends') {
    return known
      .filter(({ operation }) => !seen.has(operation.no))
      .map(({ operation }) => `operation ${operation.no} was acknowledged before`);
  }
  if (table === 'items') {
    const last = new Map(known.map(({ operation }) => [operation.lane, operation.no]));
    const now = new Map(groups.map(({ lane, no }) => [lane, no]));
    return [...last]
      .filter(([lane, no]) => (now.get(lane) ?? 0) < no)
      .map(([lane, no]) => `lane ${lane} shows ${now.get(lane)}, and ${no} was acknowledged before`);
  }
  if (known.length === 0) return [];
  const shown = model.find(groups[0]?.no ?? 0);
  // An operation whose client does not know that it was applied is newer than any known one.
  const isOld = shown?.fate === 'acknowledged' && shown.version < before.version;
  return groups.length === 0 || isOld
    ? [`shows ${groups[0]?.no ?? 'nothing'}, and version ${before.version} was acknowledged before`]
    : [];
}
