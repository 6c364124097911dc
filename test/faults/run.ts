import { setTimeout as delay } from 'node:timers/promises';
import { startHttpReceiver } from '../support/http-receiver.ts';
import { createFaultClient } from './client.ts';
import { compareTables } from './compare.ts';
import { startDatabase } from './database.ts';
import { finishSchedules } from './fires.ts';
import { finishFlows } from './flows.ts';
import { injectFaults } from './inject.ts';
import { createJournal, type Journal } from './journal.ts';
import { createLanes, type Lanes } from './lanes.ts';
import type { LoadContext } from './load/context.ts';
import { prepareFiled } from './load/file-lanes.ts';
import { prepareFlows } from './load/flow-lanes.ts';
import { finishKeyed, prepareKeyed } from './load/keyed-lanes.ts';
import { prepareSchedules } from './load/schedules.ts';
import { finishShaped, prepareShaped } from './load/shaping-lanes.ts';
import { finishSlots, prepareSlots } from './load/slot-lanes.ts';
import { prepareCopies } from './load/snapshot-lanes.ts';
import { prepare } from './load/tables.ts';
import { prepareGated } from './load/verification-lanes.ts';
import { type FaultMailServer, type MailMood, planMoods, startMailServer } from './mail-server.ts';
import { createModel } from './model.ts';
import { createMoments } from './moments.ts';
import { type Fault, type Focus, planFaults } from './plan.ts';
import { read } from './readers.ts';
import { compareRuns } from './runs.ts';
import { finishCopies } from './snapshots.ts';
import { startSource } from './sources.ts';
import { type StackUnderTest, startStackUnderTest } from './stack-under-test.ts';
import { startTalkModel } from './talk-model.ts';
import { createTalks } from './talks.ts';

export interface FaultOptions {
  rounds: number;
  seed: number;
  faultsPerRound: number;
  focus?: Focus | undefined;
  /** The load of the last round goes on until so much was done: a slow machine does little between faults. */
  isEnough?: (journal: Journal) => boolean;
  /** Pauses of the worker longer than its heartbeat timeout: each takes a quarter of a minute. */
  longPauses: boolean;
  /** Keeps the data directory with its logs. */
  keep: boolean;
  report: (line: string) => void;
  /** Ends the run early and in order. */
  signal: AbortSignal;
}

/**
 * Within this time everything must be up again, and after that every batch must have ended. On a machine that
 * other work slows down, a round without a fault in it came to rest after 90 s.
 */
const settleTimeoutMs = 400_000;
const enoughTimeoutMs = 300_000;
/** How long lanes without a batch are waited for: a key held by a dead process may take minutes. */
const patienceMs = 10_000;
/** A round without faults. */
const quietRoundMs = 30_000;
const finishTimeoutMs = 510_000;

interface Run extends FaultOptions {
  stack: StackUnderTest;
  context: LoadContext;
  lanes: Lanes;
  mailServer: FaultMailServer;
}

/**
 * Load and faults in rounds on a separate stack; the journal says what happened and whether anything broke.
 */
export async function runFaults(options: FaultOptions): Promise<Journal> {
  const { seed, rounds, report } = options;
  const journal = createJournal(report);
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const moments = createMoments();
  const talkModel = await startTalkModel(moments);
  const mailServer = await startMailServer(moments);
  const receiver = await startHttpReceiver();
  const source = await startSource(seed, moments);
  const database = await startDatabase(seed, moments, signal);
  const others = [talkModel, mailServer, receiver, source, database];
  const closeOthers = () => Promise.all(others.map((other) => other.close()));
  const stack = await startStackUnderTest({
    journal,
    report,
    environment: {
      MODEL_BASE_URL: talkModel.url,
      MODEL_IDS: 'scripted',
      SMTP_URL: mailServer.url,
      SMTP_FROM: 'Reports <reports@example.com>',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
    },
  }).catch(async (error: unknown) => {
    await closeOthers();
    throw error;
  });
  const client = createFaultClient(stack.state, journal, signal);
  try {
    const prepared = await prepare(client);
    const context: LoadContext = {
      client,
      journal,
      model: createModel(),
      moments,
      batches: new Map(),
      talks: createTalks(() => context, seed),
      runs: [],
      schedules: await prepareSchedules(client, stack, prepared.tables.items),
      flows: await prepareFlows(client, receiver),
      copies: await prepareCopies(client, source, database),
      keyed: await prepareKeyed(client),
      slots: await prepareSlots(client),
      filed: await prepareFiled(client, prepared.projectId),
      shaped: await prepareShaped(client),
      gated: await prepareGated(client, prepared.tables.appends),
      restSinceMs: undefined,
      signal,
      ...prepared,
    };
    const run = {
      ...options,
      signal,
      stack,
      context,
      mailServer,
      lanes: createLanes(context, seed, options.focus),
    };
    const plan = planFaults(seed, rounds, {
      perRound: options.faultsPerRound,
      longPauses: options.longPauses,
      focus: options.focus,
    });
    const moods = planMoods(seed, rounds);
    for (const [index, faults] of plan.entries()) {
      if (!(await runRound(run, index + 1, faults, moods[index]!))) break;
      journal.count('rounds', 'done');
    }
    if (!signal.aborted && !stack.hasEnded()) {
      await run.lanes.finish(finishTimeoutMs);
      await context.talks.finish();
      await compareRuns(context);
      const notTheirs = await finishFlows(context, mailServer, report);
      await finishSchedules(context, mailServer, notTheirs, report);
      await finishCopies(context, report);
      await finishShaped(context);
      await finishSlots(context);
      await finishKeyed(context);
      await compareTables(context);
    }
    return journal;
  } finally {
    over.abort();
    client.close();
    await stack.stop(options.keep);
    await closeOthers();
    if (options.keep) report(`Kept ${stack.dataDir}`);
  }
}

/** True if everything came to rest, so that another round makes sense. */
async function runRound(run: Run, round: number, faults: readonly Fault[], mood: MailMood): Promise<boolean> {
  const { context, lanes, report, stack, signal } = run;
  if (signal.aborted) return false;
  const faultTexts = faults.map(({ action, target }) => `${action} ${target}`).join(', ');
  report(`Round ${round} of ${run.rounds}: ${faultTexts}; mail server ${mood}`);
  await run.mailServer.be(mood);
  const outage = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
  context.schedules.outages.push(outage);
  context.restSinceMs = undefined;
  let isOver = false;
  lanes.work(() => isOver);
  const readers = Promise.all([1, 2].map((n) => read(context, run.seed + round, n, () => isOver)));
  const { journal, moments } = context;
  await injectFaults({ stack, copies: context.copies, journal, report, signal, moments }, faults);
  if (faults.length === 0) await delay(quietRoundMs, undefined, { signal }).catch(() => {});
  if (round === run.rounds) await untilEnough(run);
  isOver = true;
  await run.mailServer.be('well');
  const overMs = Date.now();
  const isSettled = await settles(run);
  outage.toMs = Date.now();
  context.restSinceMs = outage.toMs;
  await readers;
  report(`  settled ${((Date.now() - overMs) / 1_000).toFixed(1)} s after the last fault`);
  return isSettled;
}

async function untilEnough({ isEnough, context, signal }: Run): Promise<void> {
  const untilMs = Date.now() + enoughTimeoutMs;
  while (isEnough?.(context.journal) === false && Date.now() < untilMs && !signal.aborted) await delay(500);
}

/** All parts are up again and every batch has ended; anything not done in time is stuck. */
async function settles({ stack, context, lanes, signal }: Run): Promise<boolean> {
  const startMs = Date.now();
  while (!(await stack.isUp())) {
    if (signal.aborted) return false;
    if (stack.hasEnded() || Date.now() - startMs > settleTimeoutMs) {
      context.journal.breach('stack', stack.hasEnded() ? 'it ended' : `not up after ${settleTimeoutMs} ms`);
      return false;
    }
    await delay(250);
  }
  const upMs = Date.now();
  while (!lanes.isIdle() && !signal.aborted) {
    const waitedMs = Date.now() - upMs;
    if (waitedMs > (context.batches.size > 0 ? settleTimeoutMs : patienceMs)) break;
    await delay(100);
  }
  if (signal.aborted) return false;
  for (const [id, batch] of context.batches) {
    const answer = await context.client.attempt({ kind: 'batch show', method: 'GET', path: batch.path });
    context.journal.breach('stuck', `${id} (${batch.what}): ${JSON.stringify(answer?.body.data)}`);
  }
  return context.batches.size === 0;
}
