import { setTimeout as delay } from 'node:timers/promises';
import type { StatementOutcome } from '../client.ts';
import { createRandom } from '../random.ts';
import { type Operation, operationNo, rowsOf } from '../rows.ts';
import { type BatchWork, runBatch } from './batch.ts';
import type { Lane, LoadContext } from './context.ts';

/**
 * How long a lane of appends waits for an answer before it continues: appends are independent of each other.
 */
const patienceMs = 2_500;
const maxPending = 12;

/** Appends rows, half of the time without an idempotency key: then the s_ids identify a retry. */
export function appendLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `appends ${lane}`);
  const pending = new Set<Promise<void>>();
  let count = 0;
  return {
    name: `appends ${lane}`,
    pending,
    async step() {
      count += 1;
      const operation = {
        no: operationNo(lane, count),
        table: 'appends',
        lane,
        rows: random.int(1, 30),
      } as const;
      const hasKey = random.chance(0.5);
      while (pending.size >= maxPending) await Promise.race(pending);
      const work = append(context, operation, hasKey).finally(() => pending.delete(work));
      pending.add(work);
      await Promise.race([work, delay(patienceMs, undefined, { signal: context.signal }).catch(() => {})]);
      await pauseBetween(context, random.int(20, 250));
    },
  };
}

async function append(context: LoadContext, operation: Operation, hasKey: boolean): Promise<void> {
  const { client, journal, model, tables } = context;
  model.begin(operation);
  const rows = rowsOf(operation);
  const settled = await client.settle({
    kind: 'append',
    method: 'POST',
    path: `/v1/tables/${tables.appends}/rows`,
    body: { rows },
    ...(hasKey ? { idempotencyKey: `append-${operation.no}` } : {}),
  });
  if (!hasKey && settled.outcome === 'refused' && settled.answer.body.code === 'duplicate_row_id') {
    journal.count('appends without a key', 'found in the table by their retry');
    return model.acknowledge(operation, 0);
  }
  settle(context, operation, settled, 'rowsWritten', rows.length);
}

/** Upserts all rows of its key range each time, by request or by batch, sequentially. */
export function upsertLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `items ${lane}`);
  const keys = random.int(20, 60);
  let count = 0;
  return {
    name: `items ${lane}`,
    async step() {
      count += 1;
      const operation = { no: operationNo(lane, count), table: 'items', lane, rows: keys } as const;
      if (random.chance(0.35)) {
        const work: BatchWork = { operation, mode: 'upsert', pages: random.int(1, 3), random };
        await runBatch(context, work);
      } else {
        await upsert(context, operation);
      }
      await pauseBetween(context, random.int(50, 400));
    },
  };
}

async function upsert(context: LoadContext, operation: Operation): Promise<void> {
  context.model.begin(operation);
  const settled = await context.client.settle({
    kind: 'upsert',
    method: 'PUT',
    path: `/v1/tables/${context.tables.items}/rows`,
    body: { rows: rowsOf(operation) },
    // Without it a delayed earlier attempt could overwrite later changes.
    idempotencyKey: `upsert-${operation.no}`,
  });
  settle(context, operation, settled, 'sum', operation.rows);
}

function settle(
  { journal, model }: LoadContext,
  operation: Operation,
  settled: StatementOutcome,
  counted: 'rowsWritten' | 'sum',
  rows: number,
): void {
  if (settled.outcome === 'acknowledged') {
    const data = settled.answer.body.data ?? {};
    model.acknowledge(operation, Number(data['tableVersion']));
    const reported =
      counted === 'sum' ? Number(data['inserted']) + Number(data['updated']) : data['rowsWritten'];
    if (reported !== rows) journal.breach('miscounted', `operation ${operation.no}: ${JSON.stringify(data)}`);
  } else if (settled.outcome === 'refused') {
    model.refuse(operation);
    const { status, body } = settled.answer;
    journal.breach('unexpected', `operation ${operation.no} refused: ${status} ${JSON.stringify(body)}`);
  }
}

export async function pauseBetween({ signal }: LoadContext, ms: number): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
