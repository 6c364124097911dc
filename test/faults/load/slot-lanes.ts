import type { FaultClient } from '../client.ts';
import { createRandom, type Random } from '../random.ts';
import type { Lane, LoadContext } from './context.ts';
import { pauseBetween } from './rows-lanes.ts';

/** A table with enforced keys: each slot is taken by a row, released by a deletion, and taken again. */
export interface Slots {
  tableId: string;
  /** The last known state of each slot, a new object per change; undefined while a change is in progress. */
  known: Map<number, { operation: number } | { operation: null } | undefined>;
}

const slotsOfLane = 2;
const lanes = [1, 2];
/** Beyond those of the lanes. */
const lastOperation = 900_000_000;

export async function prepareSlots(client: FaultClient): Promise<Slots> {
  const settled = await client.settle({
    kind: 'slots table',
    method: 'POST',
    path: '/v1/grid/tables',
    body: {
      name: 'slots',
      kind: 'data',
      columns: [
        { name: 'slot', data_type: 'INTEGER' },
        { name: 'op_no', data_type: 'INTEGER' },
      ],
      key_columns: ['slot'],
    },
  });
  if (settled.outcome !== 'acknowledged') throw new Error(`slots: ${JSON.stringify(settled)}`);
  const slots = lanes.flatMap((lane) =>
    Array.from({ length: slotsOfLane }, (_, index) => slotOf(lane, index)),
  );
  return {
    tableId: String(settled.answer.body.data?.['tableId']),
    known: new Map(slots.map((slot) => [slot, { operation: null }])),
  };
}

const slotOf = (lane: number, index: number) => lane * 1_000 + index;

export function slotLanes(context: LoadContext, seed: number): Lane[] {
  return [...lanes.map((lane) => slotLane(context, seed, lane)), slotReaderLane(context, seed)];
}

/** Takes and releases its own slots, and sometimes tries to take one that is taken. */
function slotLane(context: LoadContext, seed: number, lane: number): Lane {
  const random = createRandom(seed, `slots ${lane}`);
  let count = 0;
  return {
    name: `slots ${lane}`,
    async step() {
      count += 1;
      const operation = lane * 1_000_000 + count;
      const slot = slotOf(lane, random.int(0, slotsOfLane - 1));
      const now = context.slots.known.get(slot);
      if (now === undefined) return pauseBetween(context, 50);
      if (now.operation === null) await take(context, slot, operation);
      else if (random.chance(0.5)) await takeAgain(context, slot, operation);
      else await giveBack(context, slot, { operation, taken: now.operation, random });
      await pauseBetween(context, random.int(20, 150));
    },
  };
}

async function take({ client, journal, slots }: LoadContext, slot: number, operation: number): Promise<void> {
  slots.known.set(slot, undefined);
  const settled = await client.settle({
    kind: 'slot append',
    method: 'POST',
    path: `/v1/tables/${slots.tableId}/rows`,
    body: { rows: [{ s_id: operation, slot, op_no: operation }] },
    idempotencyKey: `slot-${operation}`,
  });
  if (settled.outcome === 'acknowledged') slots.known.set(slot, { operation });
  else if (settled.outcome === 'refused')
    journal.breach('unexpected', `slot ${slot} is free: ${JSON.stringify(settled.answer.body)}`);
}

async function takeAgain(
  { client, journal, slots }: LoadContext,
  slot: number,
  operation: number,
): Promise<void> {
  const settled = await client.settle({
    kind: 'slot append of a taken key',
    method: 'POST',
    path: `/v1/tables/${slots.tableId}/rows`,
    body: { rows: [{ s_id: operation, slot, op_no: operation }] },
  });
  if (settled.outcome === 'acknowledged') journal.breach('doubled', `slot ${slot} was taken twice`);
  else if (settled.outcome === 'refused') {
    const { code } = settled.answer.body;
    if (code === 'duplicate_row_key') journal.count('keys', 'refused a second time');
    else journal.breach('unexpected', `slot ${slot}: ${JSON.stringify(settled.answer.body)}`);
  }
}

async function giveBack(
  { client, journal, slots }: LoadContext,
  slot: number,
  { operation, taken, random }: { operation: number; taken: number; random: Random },
): Promise<void> {
  slots.known.set(slot, undefined);
  const settled = await client.settle({
    kind: 'slot delete',
    method: 'DELETE',
    path: `/v1/tables/${slots.tableId}/rows`,
    body: random.chance(0.5) ? { s_ids: [taken] } : { keys: [{ slot }] },
    idempotencyKey: `slot-${operation}`,
  });
  if (settled.outcome === 'acknowledged') {
    slots.known.set(slot, { operation: null });
    const deleted = settled.answer.body.data?.['rowsDeleted'];
    if (deleted !== 1) journal.breach('miscounted', `slot ${slot}: ${String(deleted)} rows deleted`);
  } else if (settled.outcome === 'refused')
    journal.breach('unexpected', `slot ${slot}: ${JSON.stringify(settled.answer.body)}`);
}

/** Compares all slots with the known state of those that did not change meanwhile. */
function slotReaderLane(context: LoadContext, seed: number): Lane {
  const random = createRandom(seed, 'slot reader');
  return {
    name: 'slot reader',
    async step() {
      await readSlots(context);
      await pauseBetween(context, random.int(50, 300));
    },
  };
}

/** At rest every slot is known, an answer must come, and what is taken is refused. */
export async function finishSlots(context: LoadContext): Promise<void> {
  await readAtRest(context);
  // A run under load may have met only slots that were free.
  const free = [...context.slots.known].find(([, now]) => now?.operation === null);
  if (free !== undefined) await take(context, free[0], lastOperation);
  for (const [slot, now] of context.slots.known)
    if (now !== undefined && now.operation !== null) await takeAgain(context, slot, lastOperation + 1);
  await readAtRest(context);
}

async function readAtRest(context: LoadContext): Promise<void> {
  for (let tries = 0; tries < 30 && !context.signal.aborted; tries += 1) {
    if (await readSlots(context)) return;
    await pauseBetween(context, 1_000);
  }
  if (!context.signal.aborted) context.journal.breach('stuck', 'slots have no answer at rest');
}

/** Whether there was an answer. */
async function readSlots({ client, journal, slots }: LoadContext): Promise<boolean> {
  const before = new Map(slots.known);
  const sql = 'SELECT slot, count(*) AS seen, max(op_no) AS op_no FROM slots GROUP BY slot';
  const answer = await client.attempt({
    kind: 'slot query',
    method: 'POST',
    path: '/v1/query-executions',
    body: { sql, limit: 10_000, row_format: 'rows', timeout_ms: 6_000 },
  });
  if (answer?.status !== 200) return false;
  journal.count('readers', 'slot answers looked through');
  const found = new Map<number, number>();
  for (const row of (answer.body.data?.['rows'] ?? []) as Record<string, unknown>[]) {
    found.set(Number(row['slot']), Number(row['opNo']));
    if (Number(row['seen']) !== 1) journal.breach('doubled', `slot ${row['slot']}: ${row['seen']} rows`);
  }
  for (const [slot, then] of before) {
    if (then === undefined || slots.known.get(slot) !== then) continue;
    const shown = found.get(slot) ?? null;
    if (shown !== then.operation)
      journal.breach('invisible', `slot ${slot} shows ${shown}, ${then.operation} was acknowledged`);
  }
  return true;
}
