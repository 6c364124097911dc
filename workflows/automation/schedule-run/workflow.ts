import {
  CancellationScope,
  condition,
  defineSignal,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest, watchGrowth } from '../../history.ts';
import { endAs } from '../../outcome.ts';
import { deliverAll } from '../../publishing/delivery/deliver.ts';
import type { FireProgress, FireStatus, ScheduleRunControlActivities, ScheduleRunInput } from './contract.ts';
import { runEndedSignal } from './names.ts';

// Database only, seconds at most, so within the workflow task itself. Retried without limit, a minute apart
// and outside that task: at the organization's limit of concurrent runs, a fire waits for its turn; the
// activity itself fails it after a day.
const control = proxyLocalActivities<ScheduleRunControlActivities>({
  startToCloseTimeout: '30 seconds',
  localRetryThreshold: '3 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
});

/**
 * The run signals its end; polling covers a lost signal, at growing intervals, because a run may take a year.
 */
const firstLookMs = 60_000;
const longestLookMs = 6 * 3_600_000;

const endedSignal = defineSignal(runEndedSignal);

/** One fire of a schedule: its run, and the deliveries of its output. */
export async function scheduleRun(input: ScheduleRunInput): Promise<FireStatus> {
  const status = await fire(input);
  endAs(status, 'schedule_run_failed', {
    what: 'The scheduled run',
    succeeded: 'Ran, and delivered the result.',
    cancelled: 'Was cancelled.',
  });
  return status;
}

async function fire(input: ScheduleRunInput): Promise<FireStatus> {
  let isNew = false;
  setHandler(endedSignal, () => {
    isNew = true;
  });
  const growth = watchGrowth();
  const scope = CancellationScope.current();
  // A cancellation applies to this execution only, so a cancelled one does not continue as a new one.
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
    if (!wasCancelled(error)) throw error;
    await always(() => control.cancelFire(input));
    return always(() => control.collectFire(input));
  }
}

/** If the fire is cancelled, requests cancellation of its run and waits for the run's end. */
async function waited(isNew: () => boolean, lookMs: number, input: ScheduleRunInput): Promise<void> {
  try {
    await condition(isNew, lookMs);
  } catch (error) {
    if (!wasCancelled(error)) throw error;
    await always(async () => {
      await control.cancelFire(input);
      await condition(isNew, lookMs);
    });
  }
}
