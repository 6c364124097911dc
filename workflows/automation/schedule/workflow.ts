import {
  condition,
  defineSignal,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { databaseActivities, databaseOnly } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest, isOutdated } from '../../history.ts';
import { endAsCancelled, recordOutcome } from '../../outcome.ts';
import type { ScheduleControlActivities, ScheduleInput, ScheduleNext } from './contract.ts';
import { pauseScheduleSignal, resumeScheduleSignal, wakeScheduleSignal } from './names.ts';

const { pauseSchedule, resumeSchedule } =
  databaseActivities<Pick<ScheduleControlActivities, 'pauseSchedule' | 'resumeSchedule'>>();
// In the workflow task itself, so that a fire waits in no queue except that of its timer.
const { advanceSchedule } =
  proxyLocalActivities<Pick<ScheduleControlActivities, 'advanceSchedule'>>(databaseOnly);

const maxHistoryLength = 2_000;
/** The time zone database may change, and a newer release may be deployed: both are checked every week. */
const longestWaitMs = 7 * 86_400_000;

export const wakeSignal = defineSignal(wakeScheduleSignal);
export const pauseSignal = defineSignal(pauseScheduleSignal);
export const resumeSignal = defineSignal(resumeScheduleSignal);

/**
 * Waits for the next occurrence of a schedule's cadence, and fires it. The state is in the schedule's row and
 * changed by an activity; a signal only makes the process read the row again, or carries an operator's
 * request.
 */
export async function schedule(input: ScheduleInput): Promise<void> {
  let isAwake = false;
  let wanted: 'pause' | 'resume' | undefined;
  const wake = (request?: typeof wanted) => () => {
    isAwake = true;
    wanted = request ?? wanted;
  };
  setHandler(wakeSignal, wake());
  setHandler(pauseSignal, wake('pause'));
  setHandler(resumeSignal, wake('resume'));
  for (;;) {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    // An operator's request received meanwhile belongs to this execution, and is handled first.
    const isToContinue = historyLength > maxHistoryLength || continueAsNewSuggested || isOutdated();
    if (wanted === undefined && isToContinue) return continueOnNewest<typeof schedule>(input);
    isAwake = false;
    const request = wanted;
    wanted = undefined;
    const next = await always(async () => {
      if (request === 'pause') await pauseSchedule(input, Date.now());
      if (request === 'resume') await resumeSchedule(input, Date.now());
      return advanceSchedule(input, Date.now());
    });
    describe(next);
    switch (next.kind) {
      case 'behind':
        break;
      case 'wait':
      case 'paused': {
        const waitMs = next.kind === 'paused' ? longestWaitMs : Math.max(next.atMs - Date.now(), 1);
        if (!(await waited(() => isAwake, Math.min(waitMs, longestWaitMs)))) {
          await always(() => pauseSchedule(input, Date.now()));
          recordOutcome('cancelled', 'An operator cancelled the workflow, so the schedule is paused.');
          endAsCancelled('The schedule');
        }
        break;
      }
      case 'done':
        recordOutcome('done', 'The schedule has no more runs.');
        return;
      default:
        recordOutcome('gone', 'The schedule was deleted.');
        return;
    }
  }
}

/** False if the process was cancelled meanwhile. */
async function waited(isAwake: () => boolean, waitMs: number): Promise<boolean> {
  try {
    await condition(isAwake, waitMs);
    return true;
  } catch (error) {
    if (wasCancelled(error)) return false;
    throw error;
  }
}

/** The details shown to operators with the process. */
function describe(next: ScheduleNext): void {
  if (next.kind === 'wait')
    setCurrentDetails(
      `Waits for ${next.localTime} in ${next.zoneId} (${new Date(next.atMs).toISOString()}). The signal pause stops it.`,
    );
  if (next.kind === 'paused') setCurrentDetails('Paused. The signal resume, or the API, lets it continue.');
  if (next.kind === 'behind')
    setCurrentDetails('Records the runs that were missed while the service was down.');
}
