export const writableTypes = ['one_time', 'daily', 'weekly', 'monthly'] as const;

/** Read and fired until they are replaced; a write of one is refused. */
export const legacyTypes = ['cron', 'interval', 'biweekly', 'month_end'] as const;

export type CadenceType = (typeof writableTypes)[number] | (typeof legacyTypes)[number];

/**
 * The years that cadences fire in. What the date library keeps of a zone's year it keeps for good (some 2
 * KiB), so the years that callers can ask for are no more than anybody plans with.
 */
export const firstYear = 1970;
export const lastYear = 2099;

/** In the order of ISO 8601: Monday is day 1. */
export const weekdays = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const;

export type Weekday = (typeof weekdays)[number];

interface InZone {
  /** A name of the tz database. All times below are what a clock there shows. */
  zoneId: string;
}

interface AtTimeOfDay extends InZone {
  /** HH:MM or HH:MM:SS. */
  timeOfDay: string;
}

interface InPeriods extends AtTimeOfDay {
  /** YYYY-MM-DD. The period of this date is the first one, and nothing fires before it. */
  anchorDate?: string;
  /** Every how many days, weeks (from Monday) or months; 1 where it is not given. */
  interval?: number;
}

export interface OneTimeCadence extends AtTimeOfDay {
  type: 'one_time';
  /** YYYY-MM-DD. */
  runDate: string;
}

export interface DailyCadence extends InPeriods {
  type: 'daily';
}

export interface WeeklyCadence extends InPeriods {
  type: 'weekly';
  daysOfWeek: readonly Weekday[];
}

export interface MonthlyCadence extends InPeriods {
  type: 'monthly';
  /** 1–31; in a shorter month its last day. */
  dayOfMonth: number;
}

export interface CronCadence extends InZone {
  type: 'cron';
  /** Five fields, six with seconds before them, or seven with a year after them. */
  cronExpression: string;
}

/**
 * Every so many minutes of the clock's own time, from the anchor on: a day of 23 hours still has its 1440
 * minutes.
 */
export interface IntervalCadence extends InZone {
  type: 'interval';
  everyMinutes: number;
  anchorDate?: string;
  timeOfDay?: string;
}

export interface BiweeklyCadence extends AtTimeOfDay {
  type: 'biweekly';
  anchorDate?: string;
  /** The weekday that the weeks are counted from where it is not given. */
  daysOfWeek?: readonly Weekday[];
}

export interface MonthEndCadence extends InPeriods {
  type: 'month_end';
}

export type WritableCadence = OneTimeCadence | DailyCadence | WeeklyCadence | MonthlyCadence;
export type LegacyCadence = CronCadence | IntervalCadence | BiweeklyCadence | MonthEndCadence;
/** What a dataset's snapshots may be taken by: also every so many minutes. */
export type DatasetCadence = WritableCadence | IntervalCadence;
export type Cadence = WritableCadence | LegacyCadence;

/** The fields that kinds differ in, in the order in which the API shows them. */
export const cadenceFields = [
  'cronExpression',
  'everyMinutes',
  'timeOfDay',
  'runDate',
  'anchorDate',
  'daysOfWeek',
  'dayOfMonth',
  'interval',
] as const;

export type CadenceField = (typeof cadenceFields)[number];

/** Every field of a WorkflowSchedule, null where the kind has none. */
export interface CadenceView {
  type: CadenceType;
  zoneId: string;
  cronExpression: string | null;
  everyMinutes: number | null;
  timeOfDay: string | null;
  runDate: string | null;
  anchorDate: string | null;
  daysOfWeek: readonly Weekday[] | null;
  dayOfMonth: number | null;
  interval: number | null;
}

/** A cadence as the API shows it: what is shown can be written again. */
export function cadenceView(cadence: Cadence): CadenceView {
  const own: Partial<CadenceView> = cadence;
  return {
    type: cadence.type,
    zoneId: cadence.zoneId,
    cronExpression: own.cronExpression ?? null,
    everyMinutes: own.everyMinutes ?? null,
    timeOfDay: own.timeOfDay ?? null,
    runDate: own.runDate ?? null,
    anchorDate: own.anchorDate ?? null,
    daysOfWeek: own.daysOfWeek ?? null,
    dayOfMonth: own.dayOfMonth ?? null,
    interval: own.interval ?? null,
  };
}
