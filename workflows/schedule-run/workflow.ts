import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { deliverAll } from '../delivery/deliver.ts';
import { endAsCancelled, failedAs, tellOutcome } from '../outcome.ts';
import type { FireProgress, FireStatus, ScheduleRunControlActivities, ScheduleRunInput } from './contract.ts';
import { runEndedSignal } from './names.ts';

// Database only, seconds at most, and so within the workflow's own task. Retried without end, a minute apart: while an
// organization has as many runs under way as it may have, a fire waits for its turn, outside of that task; the activity
// itself gives it up after a day.
const control = proxyLocalActivities<ScheduleRunControlActivities>({
  startToCloseTimeout: '30 seconds',
  localRetryThreshold: '3 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute' },
});

/** A run tells of its end; one that cannot is looked at all the same. */
const lookEvery = '1 minute';

const endedSignal = defineSignal(runEndedSignal);

/** One fire of a schedule: its run, and what becomes of what that made. */
export async function scheduleRun(input: ScheduleRunInput): Promise<FireStatus> {
  const status = await fire(input);
  switch (status) {
    case 'succeeded':
      tellOutcome(status, 'Ran, and delivered what was made.');
      break;
    case 'failed':
      tellOutcome(status, 'Failed; its row says why.');
      throw failedAs('schedule_run_failed', 'The fire');
    case 'cancelled':
      tellOutcome(status, 'Was cancelled.');
      endAsCancelled('The fire');
  }
  return status;
}

async function fire(input: ScheduleRunInput): Promise<FireStatus> {
  const always = <T>(step: () => Promise<T>) => CancellationScope.nonCancellable(step);
  let isNew = false;
  setHandler(endedSignal, () => {
    isNew = true;
  });
  let progress = await begun(input);
  while (progress.kind === 'running') {
    setCurrentDetails(`Waits for ${progress.runId} to end.`);
    await waited(() => isNew, input);
    isNew = false;
    progress = await always(() => control.collectFire(input));
  }
  if (progress.kind === 'ended') return progress.status;
  const { organizationId } = input;
  setCurrentDetails(`Delivers ${progress.deliveryIds.length} files and mails.`);
  await deliverAll(progress.deliveryIds.map((deliveryId) => ({ organizationId, deliveryId })));
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
async function waited(isNew: () => boolean, input: ScheduleRunInput): Promise<void> {
  try {
    await condition(isNew, lookEvery);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await control.cancelFire(input);
      await condition(isNew, lookEvery);
    });
  }
}
