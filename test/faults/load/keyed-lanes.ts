import type { FaultClient } from '../client.ts';
import { createRandom } from '../random.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

/**
 * A large table of which a few keys change at a time, while its lake is maintained and other tables are
 * written: replaced rows are in files, their replacements and deletions in the catalog, and flushes move
 * them.
 */
export interface Keyed {
  tableId: string;
  /** The last known content of each block of keys: the operation that wrote all of it. */
  known: Map<number, number>;
}

const blocks = 333;
const keysOfBlock = 60;
const keys = blocks * keysOfBlock;
const rowsAtOnce = 5_000;

export async function prepareKeyed(client: FaultClient): Promise<Keyed> {
  const settle = async (method: 'POST', path: string, body: unknown) => {
    const settled = await client.settle({ kind: 'keyed table', method, path, body });
    if (settled.outcome !== 'acknowledged') throw new Error(`${path}: ${JSON.stringify(settled)}`);
    return settled.answer.body.data ?? {};
  };
  const columns = [{ name: 'op_no', data_type: 'INTEGER' }];
  const made = await settle('POST', '/v1/grid/tables', { name: 'keyed', kind: 'data', columns });
  const tableId = String(made['tableId']);
  for (let from = 0; from < keys; from += rowsAtOnce)
    await settle('POST', `/v1/tables/${tableId}/rows`, {
      rows: rowsOf(from, Math.min(rowsAtOnce, keys - from), 0),
    });
  return { tableId, known: new Map(Array.from({ length: blocks }, (_, block) => [block, 0])) };
}

function rowsOf(from: number, count: number, operation: number) {
  return Array.from({ length: count }, (_, index) => ({ s_id: from + index, op_no: operation }));
}

/** Writes one block of keys after the other. */
export function keyedLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'keyed');
  const { client, journal, keyed } = context;
  let operation = 0;
  return {
    name: 'keyed',
    async step() {
      operation += 1;
      const block = random.int(0, blocks - 1);
      const settled = await client.settle({
        kind: 'keyed upsert',
        method: 'PUT',
        path: `/v1/tables/${keyed.tableId}/rows`,
        body: { rows: rowsOf(block * keysOfBlock, keysOfBlock, operation) },
        idempotencyKey: `keyed-${operation}`,
      });
      if (settled.outcome === 'acknowledged') keyed.known.set(block, operation);
      else if (settled.outcome === 'refused')
        journal.breach('unexpected', `keyed operation ${operation}: ${JSON.stringify(settled.answer)}`);
      await pauseBetween(context, random.int(5, 100));
    },
  };
}

/** Reads the whole table, together with another one of the organization, in one statement. */
export function keyedReaderLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `keyed reader ${lane}`);
  return {
    name: `keyed reader ${lane}`,
    async step() {
      await readKeyed(context);
      await pauseBetween(context, random.int(20, 200));
    },
  };
}

/** At rest an answer must come. */
export async function finishKeyed(context: LoadContext): Promise<void> {
  for (let tries = 0; tries < 30 && !context.signal.aborted; tries += 1) {
    if (await readKeyed(context)) return;
    await pauseBetween(context, 1_000);
  }
  if (!context.signal.aborted) context.journal.breach('stuck', 'the keyed table has no answer at rest');
}

/** Whether there was an answer. */
async function readKeyed({ client, journal, keyed }: LoadContext): Promise<boolean> {
  const before = new Map(keyed.known);
  const sql = `SELECT s_id // ${keysOfBlock} AS block, count(*) AS seen, count(DISTINCT s_id) AS ids,
      min(op_no) AS least, max(op_no) AS most, (SELECT count(*) - count(DISTINCT s_id) FROM appends) AS doubled
    FROM keyed GROUP BY ALL`;
  const body = { sql, limit: 10_000, row_format: 'rows', timeout_ms: 6_000 };
  const answer = await client.attempt({
    kind: 'keyed query',
    method: 'POST',
    path: '/v1/query-executions',
    body,
  });
  if (answer?.status !== 200) return false;
  const rows = (answer.body.data?.['rows'] ?? []) as Record<string, unknown>[];
  journal.count('readers', 'keyed answers looked through');
  if (rows.length !== blocks) journal.breach('invisible', `keyed: ${rows.length} blocks of ${blocks}`);
  for (const row of rows) {
    const [block, seen, ids, least, most, doubled] = ['block', 'seen', 'ids', 'least', 'most', 'doubled'].map(
      (name) => Number(row[name]),
    ) as [number, number, number, number, number, number];
    if (seen !== keysOfBlock || ids !== keysOfBlock)
      journal.breach('doubled', `keyed block ${block}: ${seen} rows of ${ids} keys`);
    else if (least !== most) journal.breach('half', `keyed block ${block}: operations ${least} to ${most}`);
    else if (most < before.get(block)!)
      journal.breach(
        'invisible',
        `keyed block ${block} shows ${most}, ${before.get(block)} was acknowledged`,
      );
    if (doubled !== 0) journal.breach('doubled', `appends: ${doubled} rows, beside keyed`);
  }
  return true;
}

/** Requests maintenance of the lake as soon as the previous run has ended. */
export function maintenanceLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'maintenance');
  const { client, journal } = context;
  const path = '/v1/lake-maintenance/runs';
  let count = 0;
  return {
    name: 'maintenance',
    async step() {
      count += 1;
      const asked = await client.attempt({
        kind: 'maintenance',
        method: 'POST',
        path,
        idempotencyKey: `maintenance-${count}`,
      });
      const id = String(asked?.body.data?.['id']);
      for (let looks = 0; asked?.status === 202 && looks < 60 && !context.signal.aborted; looks += 1) {
        const shown = await client.attempt({
          kind: 'maintenance show',
          method: 'GET',
          path: `${path}/${id}`,
        });
        const { status, figures } = (shown?.body.data ?? {}) as { status?: string; figures?: Figures };
        if (status === 'succeeded' || status === 'failed') {
          journal.count('maintenance', status);
          for (const [name, figure] of Object.entries(figures ?? {}))
            journal.count('maintenance', name, figure);
          // A current flush leaves none.
          if ((figures?.['deletionsRepaired'] ?? 0) > 0)
            journal.breach(
              'doubled',
              `maintenance ${id} found ${figures?.['deletionsRepaired']} deletions twice`,
            );
          break;
        }
        await pauseBetween(context, 250);
      }
      await pauseBetween(context, random.int(50, 500));
    },
  };
}

type Figures = Record<string, number>;
