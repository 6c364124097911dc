import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { continueOnNewest } from '../../history.ts';
import { endAs } from '../../outcome.ts';
import { notifyWaiter } from '../../run-ended.ts';
import { taskQueues } from '../../task-queues.ts';
import type {
  VerificationControlActivities,
  VerificationInput,
  VerificationLakeActivities,
  VerificationOutcome,
} from './contract.ts';
import { noProcessFailure } from './names.ts';

const control = databaseActivities<VerificationControlActivities>();

// A table with hundreds of tests takes hours at most. Twenty attempts cover an hour of an unavailable store,
// and each tests one table again.
const { verifyNextTable } = proxyActivities<VerificationLakeActivities>({
  taskQueue: taskQueues.lake,
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes', maximumAttempts: 20 },
});

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** For a run that waits for its turn, or tests hundreds of tables. */
const maxHistoryLength = 3_000;

const always = <T>(step: () => Promise<T>) => CancellationScope.nonCancellable(step);

/** Tests tables, one after the other, each at one version, and keeps what the tests say. */
export async function verification(input: VerificationInput): Promise<VerificationOutcome> {
  const outcome = await run(input);
  await always(() => notifyWaiter(input.waitedBy, input.runId));
  endAs(outcome.status, outcome.errorCode, {
    what: 'The verification',
    succeeded: `Tested ${outcome.tested} tables: ${outcome.outcome}.`,
    cancelled: `Was cancelled; tested ${outcome.tested} tables before.`,
    failed: `Tested ${outcome.tested} tables before.`,
  });
  return outcome;
}

async function run(input: VerificationInput): Promise<VerificationOutcome> {
  try {
    if ((await awaitTurn(input)) === 'begun') await verifyAll(input);
  } catch (error) {
    // What stopped it is in its row; the end says which tables were tested.
    if (!isCancellation(error) && !(error instanceof ActivityFailure)) throw error;
  }
  const isCancelled = CancellationScope.current().consideredCancelled;
  return always(() => control.endVerification(input, isCancelled));
}

/** Polls until it is its turn: a timer is free, while an activity that waits would hold a worker's slot. */
async function awaitTurn(input: VerificationInput): Promise<'begun' | 'ended'> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const turn = await always(() => control.beginVerification(input));
    if (turn !== 'waiting') return turn;
    setCurrentDetails('Waiting for its turn: the organization tests as much as it may at once.');
    await sleep(waitMs, { summary: 'its turn' });
    await continueIfLong(input);
  }
}

async function verifyAll(input: VerificationInput): Promise<void> {
  setCurrentDetails('Testing the tables; its run has the progress.');
  for (let waitMs = firstWaitMs; ; ) {
    try {
      if ((await verifyNextTable(input)) === 0) return;
      waitMs = firstWaitMs;
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : undefined;
      if (!(cause instanceof ApplicationFailure) || cause.type !== noProcessFailure) throw error;
      await sleep(waitMs, { summary: 'a process' });
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
    await continueIfLong(input);
  }
}

async function continueIfLong(input: VerificationInput): Promise<void> {
  if (workflowInfo().historyLength > maxHistoryLength) await continueOnNewest<typeof verification>(input);
}
