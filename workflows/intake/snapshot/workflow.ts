import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { commitActivities, databaseActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest } from '../../history.ts';
import { endAs, endAsCancelled } from '../../outcome.ts';
import { notifyWaiter } from '../../run-ended.ts';
import { taskQueues } from '../../task-queues.ts';
import { commitOrDiscard, discardAndEnd } from '../staged.ts';
import type {
  SnapshotControlActivities,
  SnapshotInput,
  SnapshotLakeActivities,
  SnapshotOutcome,
  StagedSnapshot,
} from './contract.ts';
import { confirmationHours, stagingRetry, wakeSnapshotSignal } from './names.ts';

const control = databaseActivities<SnapshotControlActivities>();

// Each attempt copies again, from one moment of the source.
const { stageSnapshot } = proxyActivities<Pick<SnapshotLakeActivities, 'stageSnapshot'>>({
  taskQueue: taskQueues.lake,
  // A copy takes at most two hours, and may wait for an engine before.
  startToCloseTimeout: '5 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: {
    initialInterval: stagingRetry.firstMs,
    backoffCoefficient: stagingRetry.coefficient,
    maximumInterval: stagingRetry.longestMs,
    maximumAttempts: stagingRetry.tries,
  },
});

const commit = commitActivities<Pick<SnapshotLakeActivities, 'commitSnapshot' | 'discardSnapshot'>>();

export const wakeSignal = defineSignal(wakeSnapshotSignal);

/** Copies a dataset's source: staged as Parquet beside the lake, then committed as a whole or not at all. */
export async function snapshot(input: SnapshotInput): Promise<SnapshotOutcome> {
  const outcome = await run(input);
  await always(() => notifyWaiter(input.waitedBy, input.runId));
  const { status, rows, errorCode } = outcome;
  endAs(status, errorCode, {
    what: 'The snapshot',
    succeeded: `Copied ${rows} rows.`,
    cancelled: 'Was cancelled. Removed the staged data.',
    failed: 'The staged data is removed.',
  });
  return outcome;
}

const firstTurnWaitMs = 15_000;
const maxTurnWaitMs = 60_000;
/** For a snapshot waiting for its turn: hours of polling. */
const maxHistoryLength = 1_500;

/** Changed by a signal. */
interface Wake {
  isAwake: boolean;
}

/** Polls until it is its turn: a timer is free, while an activity that waits would hold a worker's slot. */
async function awaitTurn(input: SnapshotInput, wake: Wake): Promise<'begun' | 'ended'> {
  setCurrentDetails('Waiting for its turn.');
  for (let waitMs = firstTurnWaitMs; ; waitMs = Math.min(waitMs * 2, maxTurnWaitMs)) {
    wake.isAwake = false;
    const turn = await always(() => control.beginSnapshot(input));
    if (turn !== 'waiting') return turn;
    setCurrentDetails(
      'Waiting for its turn: the organization has reached its limit of snapshots at the same time.',
    );
    try {
      await condition(() => wake.isAwake, waitMs);
    } catch (error) {
      if (wasCancelled(error)) return 'ended';
      throw error;
    }
    if (workflowInfo().historyLength > maxHistoryLength) return continueOnNewest<typeof snapshot>(input);
  }
}

async function run(input: SnapshotInput): Promise<SnapshotOutcome> {
  const wake: Wake = { isAwake: false };
  setHandler(wakeSignal, () => {
    wake.isAwake = true;
  });
  // Nothing is staged yet.
  if ((await awaitTurn(input, wake)) === 'ended')
    return always(() => control.endSnapshot(input, 'cancelled'));
  const discard = () => commit.discardSnapshot(input);
  try {
    setCurrentDetails("Copying the source and staging Parquet. The activity's heartbeat has the progress.");
    const staged = await stage(input);
    endAsCancelled('The snapshot');
    if (staged === undefined) return continueOnNewest<typeof snapshot>(input);
    for (let isOverdue = false; ; ) {
      wake.isAwake = false;
      const admitted = await always(() => control.admitSnapshot(input, isOverdue));
      if (admitted !== 'held') break;
      setCurrentDetails(
        'Would lose more rows than its guard allows. Waits for somebody to confirm or cancel it.',
      );
      // A confirmation at the last moment may have changed the row while its signal is still under way: the
      // row decides.
      isOverdue = !(await condition(() => wake.isAwake, `${confirmationHours} hours`));
    }
    setCurrentDetails(`Committing ${staged.rows} rows.`);
    return await commitOrDiscard(() => commit.commitSnapshot(input), discard);
  } catch (error) {
    return await discardAndEnd(error, discard, (status) => control.endSnapshot(input, status));
  }
}

const waitReasons: Record<NonNullable<StagedSnapshot['waitsFor']>, string> = {
  limits: 'the limits of its source allow no request before',
  source: 'its source asked for a pause',
  turn: 'the organization has reached its limit of snapshots at the same time',
};

/**
 * A source that is read page by page is staged by many activities. Undefined if the history has grown long.
 */
async function stage(input: SnapshotInput): Promise<StagedSnapshot | undefined> {
  for (;;) {
    const staged = await stageSnapshot(input);
    if (staged.goesOnAfterMs === undefined) return staged;
    if (staged.goesOnAfterMs > 0) {
      const until = new Date(Date.now() + staged.goesOnAfterMs).toISOString();
      const why = waitReasons[staged.waitsFor ?? 'limits'];
      setCurrentDetails(`Read ${staged.rows} rows. Waits until ${until}: ${why}.`);
      await sleep(staged.goesOnAfterMs);
      setCurrentDetails(
        "Reading the source and storing its pages. The activity's heartbeat has the progress.",
      );
    }
    if (workflowInfo().historyLength > maxHistoryLength) return undefined;
  }
}
