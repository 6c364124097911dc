import { setTimeout as delay } from 'node:timers/promises';
import {
  compareBehind,
  compareCopy,
  compareEnd,
  compareRequests,
  compareSnapshots,
} from './compare-snapshots.ts';
import {
  type CopyKey,
  type CopyRows,
  copyKeys,
  endStatuses,
  queryOf,
  rowsOf,
  type SeenCopy,
  type StartedSnapshot,
  sourceOf,
} from './copies.ts';
import { listAll } from './list-all.ts';
import type { LoadContext } from './load/context.ts';
import type { Data } from './talks.ts';

/** A request of a killed worker holds its place at the source for half a minute. */
const quietTimeoutMs = 300_000;
const readTimeoutMs = 500_000;
/** The first may meet a store that has only just restarted. */
const maxLastSnapshots = 3;

/** Waits for every snapshot, takes a last one of each dataset, and compares. */
export async function finishCopies(context: LoadContext, report: (line: string) => void): Promise<void> {
  const { copies, journal } = context;
  const startMs = Date.now();
  copies.source.getWell();
  const runs: Data[] = [];
  for (const copy of copyKeys) {
    await allEnded(context, copy, startMs + quietTimeoutMs);
    await takeLast(context, copy);
    const rows = await read(context, copy);
    if (rows !== undefined) {
      lookAt(context, copy, copies.seen[copy], rows);
      compareEnd(journal, copy, rows.records, sourceOf(copies, copy).records);
    }
    runs.push(...(await listAll(context, `${copies.paths[copy]}/snapshots`)));
  }
  report(`  snapshots of datasets came to rest in ${((Date.now() - startMs) / 1_000).toFixed(1)} s`);
  compareSnapshots(journal, copies.started, runs);
  compareRequests(journal, copies.source.requests, copies.limits);
}

/** Requests a snapshot, or repeats the same request. */
export async function startSnapshot(context: LoadContext, snapshot: StartedSnapshot): Promise<void> {
  const { client, copies, journal, moments } = context;
  const { tag, copy } = snapshot;
  moments.comes('firing');
  const settled = await client.settle({
    kind: 'snapshot start',
    method: 'POST',
    path: `${copies.paths[copy]}/snapshots`,
    idempotencyKey: `snapshot-${tag}`,
  });
  if (settled.outcome === 'refused') {
    snapshot.isRefused = true;
    if (settled.answer.body.code !== 'snapshot_active' || snapshot.id !== undefined)
      journal.breach('unexpected', `snapshot ${tag}: ${JSON.stringify(settled.answer)}`);
  }
  if (settled.outcome !== 'acknowledged') return;
  const id = String(settled.answer.body.data?.['id']);
  if (snapshot.id !== undefined && snapshot.id !== id)
    journal.breach('snapshotDoubled', `${tag} is ${snapshot.id} and ${id}`);
  snapshot.id = id;
}

/**
 * The snapshot once it has ended, with an immediate read if it succeeded; undefined if that did not happen in
 * time.
 */
export async function followSnapshot(
  context: LoadContext,
  snapshot: StartedSnapshot,
): Promise<Data | undefined> {
  const { underWay } = context.copies;
  underWay.add(snapshot.id!);
  const run = await untilEnded(context, snapshot).finally(() => underWay.delete(snapshot.id!));
  if (run?.status === 'succeeded') await lookAfter(context, snapshot);
  return run;
}

async function untilEnded(context: LoadContext, snapshot: StartedSnapshot): Promise<Data | undefined> {
  const { client, copies, journal, signal } = context;
  const { copy, id } = snapshot;
  const deadlineMs = Date.now() + quietTimeoutMs;
  const path = `${copies.paths[copy]}/snapshots/${id}`;
  while (Date.now() < deadlineMs && !signal.aborted) {
    const settled = await client.settle({ kind: 'snapshot', method: 'GET', path });
    if (settled.outcome === 'refused') {
      journal.breach('snapshotLost', `${snapshot.tag}, ${id}: ${JSON.stringify(settled.answer)}`);
      return undefined;
    }
    const run = settled.outcome === 'acknowledged' ? (settled.answer.body.data as Data) : undefined;
    if (run !== undefined && endStatuses.includes(run.status)) return run;
    await delay(400, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

/** A read after a snapshot is known to have succeeded shows what existed before it. */
async function lookAfter(context: LoadContext, snapshot: StartedSnapshot): Promise<void> {
  const { copies, journal } = context;
  const before = copies.seen[snapshot.copy];
  const rows = await read(context, snapshot.copy);
  if (rows === undefined) return;
  lookAt(context, snapshot.copy, before, rows);
  const { records } = sourceOf(copies, snapshot.copy);
  compareBehind(journal, `${snapshot.tag}, ${snapshot.id}`, rows.records, records, snapshot.before);
}

/** Compares a read with the source, and with what was seen before the read began. */
export function lookAt(
  { copies, journal }: LoadContext,
  copy: CopyKey,
  before: SeenCopy | undefined,
  rows: CopyRows,
): void {
  journal.count('readers', `copies of ${copy} looked through`);
  compareCopy(journal, copy, rows, sourceOf(copies, copy), before);
  const seen = new Map(copies.seen[copy]);
  for (const { id, value } of rows.records) seen.set(id, Math.max(value, seen.get(id) ?? 0));
  copies.seen[copy] = seen;
}

/** While stores are down a query fails or times out: it is repeated as long as that may help. */
async function read({ client, copies, journal, signal }: LoadContext, copy: CopyKey) {
  const body = queryOf(copies.tables[copy]);
  const path = '/v1/query-executions';
  const deadlineMs = Date.now() + readTimeoutMs;
  for (;;) {
    const settled = await client.settle({ kind: 'query', method: 'POST', path, body });
    if (settled.outcome === 'acknowledged') return rowsOf(settled.answer.body.data);
    if (signal.aborted) return undefined;
    if (settled.outcome === 'unresolved' || Date.now() > deadlineMs) {
      journal.breach('unexpected', `the copy ${copy} cannot be read: ${JSON.stringify(settled)}`);
      return undefined;
    }
    await delay(500, undefined, { signal }).catch(() => {});
  }
}

async function allEnded(context: LoadContext, copy: CopyKey, deadlineMs: number): Promise<void> {
  const path = `${context.copies.paths[copy]}/snapshots`;
  for (;;) {
    const active = (await listAll(context, path)).filter(({ status }) => !endStatuses.includes(status));
    if (active.length === 0 || Date.now() > deadlineMs || context.signal.aborted) return;
    await delay(500, undefined, { signal: context.signal }).catch(() => {});
  }
}

async function takeLast(context: LoadContext, copy: CopyKey): Promise<void> {
  const { copies, journal } = context;
  const before = sourceOf(copies, copy).settled();
  for (let n = 1; n <= maxLastSnapshots; n += 1) {
    const last: StartedSnapshot = { tag: `last-${copy}-${n}`, copy, before, id: undefined, isRefused: false };
    copies.started.push(last);
    await startSnapshot(context, last);
    const run = last.id === undefined ? undefined : await followSnapshot(context, last);
    if (run?.status === 'succeeded') return;
  }
  journal.breach('snapshotStuck', `no last snapshot of ${copy} succeeded`);
}
