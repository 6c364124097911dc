import { cadenceInWords } from '../../cadences/cadence.ts';
import * as texts from '../../texts/index.ts';
import { type ConnectionKind, type Dataset, isIncrementable } from './settings.ts';

const labels = texts.connections.dataset;

/** How a dataset is copied, as one says it. */
export function modeInWords(type: ConnectionKind, { mode, cursor }: Dataset): string {
  if (type === 'http') return labels.byPolicy;
  return isIncrementable(type) && mode === 'incremental' ? labels.by(cursor ?? '') : labels.modes.full;
}

/** When it is copied, and whether its schedule is at rest. */
export function scheduleInWords({ schedule, scheduleStatus }: Dataset): string {
  if (schedule === null) return labels.repeats.never;
  const words =
    schedule.type === 'interval'
      ? texts.automation.schedules.words.minutes(schedule.everyMinutes!)
      : cadenceInWords(schedule);
  return scheduleStatus === 'active' || scheduleStatus === null ? words : labels[scheduleStatus](words);
}
