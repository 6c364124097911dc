import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { continueOnNewest, watchGrowth } from '../../history.ts';
import { endAs } from '../../outcome.ts';
import { deliverAll } from '../../publishing/delivery/deliver.ts';
import type { FireProgress, FireStatus, ScheduleRunControlActivities, ScheduleRunInput } from './contract.ts';
import { runEndedSignal } from './names.ts';

// Database only, seconds at most, and so within the workflow's own task. Retried without end, a minute apart:
// while an organization has as many runs under way as it may have, a fire waits for its turn, outside of that
// task; the activity itself gives it up after a day.
const control = proxyLocalActivities<ScheduleRunControlActivities>({
  startToCloseTimeout: '30 seconds',
  localRetryThreshold: '3 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
});

/**
 * A run tells of its end; one that cannot is looked at all the same, less often each time: it may go on for a
 * year.
 */
const firstLookMs = 60_000;
const longestLookMs = 6 * 3_600_000;

const endedSignal = defineSignal(runEndedSignal);

/** One fire of a schedule: its run, and what becomes of what that made. */
export async function scheduleRun(input: ScheduleRunInput): Promise<FireStatus> {
  const status = await fire(input);
  endAs(status, 'schedule_run_failed', {
    what: 'The fire',
    succeeded: 'Ran, and delivered what was made.',
    cancelled: 'Was cancelled.',
  });
  return status;
}

async function fire(input: ScheduleRunInput): Promise<FireStatus> {
  const always = <T>(step: () => Promise<T>) => CancellationScope.nonCancellable(step);
  let isNew = false;
  setHandler(endedSignal, () => {
    isNew = true;
  });
  const growth = watchGrowth();
  const scope = CancellationScope.current();
  // A cancel is this execution's alone: it sees it through.
  const isToContinue = () => growth.isFull && !scope.consideredCancelled;
  let progress = await begun(input);
  for (let lookMs = firstLookMs; progress.kind === 'running'; ) {
    setCurrentDetails(`Waits for ${progress.runId} to end.`);
    await waited(() => isNew, lookMs, input);
    isNew = false;
    lookMs = Math.min(lookMs * 2, longestLookMs);
    progress = await always(() => control.collectFire(input));
    growth.look();
    if (progress.kind === 'running' && isToContinue()) return continueOnNewest<typeof scheduleRun>(input);
  }
  if (progress.kind === 'ended') return progress.status;
  const { organizationId } = input;
  setCurrentDetails(`Delivers ${progress.deliveryIds.length} files and mails.`);
  const deliveries = progress.deliveryIds.map((deliveryId) => ({ organizationId, deliveryId }));
  const ends = await deliverAll(deliveries, { look: growth.look, isStopped: isToContinue });
  if (ends.includes('pending')) return continueOnNewest<typeof scheduleRun>(input);
  return always(() => control.endFire(input));
}

async function begun(input: ScheduleRunInput): Promise<FireProgress> {
  try {
    return await control.beginFire(input);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => control.cancelFire(input));
    return CancellationScope.nonCancellable(() => control.collectFire(input));
  }
}

/** Where somebody cancels the fire, its run is asked to end, and its end is waited for. */
async function waited(isNew: () => boolean, lookMs: number, input: ScheduleRunInput): Promise<void> {
  try {
    await condition(isNew, lookMs);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await control.cancelFire(input);
      await condition(isNew, lookMs);
    });
  }
}
