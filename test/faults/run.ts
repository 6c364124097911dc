import { setTimeout as delay } from 'node:timers/promises';
import { createFaultClient } from './client.ts';
import { compareTables } from './compare.ts';
import { injectFaults } from './inject.ts';
import { createJournal, type Journal } from './journal.ts';
import { releaseLeases } from './leases.ts';
import { batchLane, snapshotLane } from './load/batch-lanes.ts';
import type { Lane, LoadContext } from './load/context.ts';
import { appendLane, upsertLane } from './load/rows-lanes.ts';
import { prepare } from './load/tables.ts';
import { createModel } from './model.ts';
import { planFaults } from './plan.ts';
import { read } from './readers.ts';
import { type StackUnderTest, startStackUnderTest } from './stack-under-test.ts';

export interface FaultOptions {
  rounds: number;
  seed: number;
  faultsPerRound: number;
  /** Pauses of the worker beyond its heartbeats: each takes a quarter of a minute. */
  longPauses: boolean;
  /** Lets go at once of the idempotency keys of a killed API, which otherwise keeps them for minutes. */
  releasesLeases: boolean;
  /** Leaves the data directory with its logs. */
  keep: boolean;
  report: (line: string) => void;
  /** Ends the run early, and in order. */
  signal: AbortSignal;
}

/** Within it everything has to be up again, and then every batch at its end. */
const settleTimeoutMs = 90_000;
/** Requests whose idempotency key is held by a dead process take this long. */
const pendingTimeoutMs = 220_000;

/** Load and faults in rounds on a stack of its own; the journal says what happened and whether anything broke. */
export async function runFaults(options: FaultOptions): Promise<Journal> {
  const { seed, rounds, report } = options;
  const journal = createJournal(report);
  const stack = await startStackUnderTest(journal, report);
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const client = createFaultClient(stack.state, journal, signal);
  try {
    const model = createModel();
    const context: LoadContext = {
      client,
      journal,
      model,
      batches: new Map(),
      signal,
      ...(await prepare(client)),
    };
    const plan = planFaults(seed, rounds, {
      perRound: options.faultsPerRound,
      longPauses: options.longPauses,
    });
    const lanes = lanesOf(context, seed);
    const injection = {
      stack,
      journal,
      report,
      signal,
      onApiKilled: async () => {
        if (options.releasesLeases) await releaseLeases(stack.state.databaseUrl);
      },
    };
    for (const [index, faults] of plan.entries()) {
      if (signal.aborted) break;
      report(`Round ${index + 1} of ${rounds}: ${faults.map((f) => `${f.action} ${f.target}`).join(', ')}`);
      let isOver = false;
      const work = Promise.all(lanes.map((lane) => runLane(lane, () => isOver || signal.aborted)));
      const readers = Promise.all([1, 2].map((n) => read(context, seed + index, n, () => isOver)));
      await injectFaults(injection, faults);
      isOver = true;
      const overMs = Date.now();
      if (!(await isSettled(stack, context, work))) break;
      await readers;
      report(`  settled ${((Date.now() - overMs) / 1_000).toFixed(1)} s after the last fault`);
      journal.count('rounds', 'done');
    }
    if (!options.signal.aborted && !stack.hasEnded()) {
      await Promise.race([
        Promise.all(lanes.flatMap(({ pending }) => [...(pending ?? [])])),
        late(pendingTimeoutMs),
      ]);
      await compareTables(context);
    }
    return journal;
  } finally {
    over.abort();
    client.close();
    await stack.stop(options.keep);
    if (options.keep) report(`Kept ${stack.dataDir}`);
  }
}

/** Several writers of one table where their rows are their own, and one for each range of keys that are shared. */
function lanesOf(context: LoadContext, seed: number): Lane[] {
  return [
    ...[1, 2, 3].map((lane) => appendLane(context, seed, lane)),
    ...[11, 12, 13].map((lane) => batchLane(context, seed, lane, 'appends')),
    ...[21, 22, 23, 24].map((lane) => upsertLane(context, seed, lane)),
    ...[31, 32].map((lane) => batchLane(context, seed, lane, 'whole')),
    ...[41, 42].map((lane) => snapshotLane(context, seed, lane, lane === 41)),
  ];
}

async function runLane(lane: Lane, isOver: () => boolean): Promise<void> {
  while (!isOver()) await lane.step();
}

/** All parts are up again and every batch has ended; what has not in time is stuck. */
async function isSettled(
  stack: StackUnderTest,
  context: LoadContext,
  work: Promise<unknown>,
): Promise<boolean> {
  const startMs = Date.now();
  while (!(await stack.isUp())) {
    if (context.signal.aborted) return false;
    if (stack.hasEnded() || Date.now() - startMs > settleTimeoutMs) {
      context.journal.breach('stack', stack.hasEnded() ? 'it ended' : `not up after ${settleTimeoutMs} ms`);
      return false;
    }
    await delay(250);
  }
  const upMs = Date.now();
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  while (!isDone && Date.now() - upMs < pendingTimeoutMs && !context.signal.aborted) {
    if (context.batches.size > 0 && Date.now() - upMs > settleTimeoutMs) break;
    await delay(100);
  }
  for (const [id, told] of context.batches) context.journal.breach('stuck', `${id} (${told})`);
  return isDone && !context.signal.aborted;
}

function late(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}
