export const writableTypes = ['one_time', 'daily', 'weekly', 'monthly'] as const;

/** Legacy types: read and fired until they are replaced, but cannot be written. */
export const legacyTypes = ['cron', 'interval', 'biweekly', 'month_end'] as const;

export type CadenceType = (typeof writableTypes)[number] | (typeof legacyTypes)[number];

/**
 * The years in which cadences fire. The date library keeps each zone's year forever (some 2 KiB), so callers
 * can only ask for a bounded range of years.
 */
export const firstYear = 1970;
export const lastYear = 2099;

/** In ISO 8601 order: Monday is day 1. */
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
  /** A tz database name. All times below are local times in this zone. */
  zoneId: string;
}

interface AtTimeOfDay extends InZone {
  /** HH:MM or HH:MM:SS. */
  timeOfDay: string;
}

interface InPeriods extends AtTimeOfDay {
  /** YYYY-MM-DD. Periods are counted from the one that contains this date; nothing fires before the date. */
  anchorDate?: string;
  /** Number of days, weeks (starting on Monday) or months per period; default 1. */
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
  /** 1–31; in a shorter month, its last day. */
  dayOfMonth: number;
}

export interface CronCadence extends InZone {
  type: 'cron';
  /** Five fields, six with seconds first, or seven with a year last. */
  cronExpression: string;
}

/**
 * Every given number of minutes of local time, counted from the anchor: a day of 23 hours still has 1440
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
  /** Default: the weekday from which the weeks are counted. */
  daysOfWeek?: readonly Weekday[];
}

export interface MonthEndCadence extends InPeriods {
  type: 'month_end';
}

export type WritableCadence = OneTimeCadence | DailyCadence | WeeklyCadence | MonthlyCadence;
export type LegacyCadence = CronCadence | IntervalCadence | BiweeklyCadence | MonthEndCadence;
/** Cadences allowed for a dataset's snapshots: also intervals in minutes. */
export type DatasetCadence = WritableCadence | IntervalCadence;
export type Cadence = WritableCadence | LegacyCadence;

/** The fields in which the types differ, in the order in which the API shows them. */
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

/** Every field of a WorkflowSchedule, null if the type does not have it. */
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

/** A cadence as the API shows it. The result can be written back. */
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
