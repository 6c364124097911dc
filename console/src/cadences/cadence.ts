import type { components } from '../../../clients/typescript/src/index.ts';
import * as texts from '../texts/index.ts';

export type Cadence = components['schemas']['WorkflowSchedule'];
export type Weekday = keyof typeof texts.automation.schedules.weekdays;
export type WritableType = keyof typeof texts.automation.schedules.types;

const { words, weekdays, types } = texts.automation.schedules;
const list = new Intl.ListFormat('en');
const longDay = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

export const allWeekdays = Object.keys(weekdays) as Weekday[];
export const writableTypes = Object.keys(types) as WritableType[];
export const isWritable = (type: Cadence['type']): type is WritableType => type in types;

/** A day of the calendar, whatever the reader's zone. */
export const dayInWords = (day: string): string => longDay.format(new Date(`${day}T00:00:00Z`));

/** A cadence as one says it: "every Monday and Friday at 08:00 (Europe/Berlin)". */
export function cadenceInWords(cadence: Cadence): string {
  const from = cadence.anchorDate === null ? '' : words.from(dayInWords(cadence.anchorDate));
  return `${repeated(cadence)}${from}${words.zone(cadence.zoneId)}`;
}

function repeated({ type, interval, timeOfDay, ...cadence }: Cadence): string {
  const every = interval ?? 1;
  const time = timeOfDay ?? '';
  const days = list.format((cadence.daysOfWeek ?? []).map((day) => weekdays[day]));
  switch (type) {
    case 'one_time':
      return words.once(dayInWords(cadence.runDate!), time);
    case 'daily':
      return words.daily(every, time);
    case 'weekly':
      return words.weekly(every, days, time);
    case 'biweekly':
      return words.weekly(2, days, time);
    case 'monthly':
      return words.monthly(every, cadence.dayOfMonth!, time);
    case 'month_end':
      return words.monthEnd(every, time);
    case 'interval':
      return words.minutes(cadence.everyMinutes!);
    case 'cron':
      return words.cron(cadence.cronExpression!);
  }
}

/** A cadence as it is edited: texts of its fields. */
export interface CadenceForm {
  type: WritableType;
  zone: string;
  time: string;
  runDate: string;
  days: readonly Weekday[];
  dayOfMonth: string;
  anchorDate: string;
  /** Another than 1 is kept where it is stored already. */
  interval: number | null;
}

export const newCadence = (): CadenceForm => ({
  type: 'daily',
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  time: '08:00',
  ...{ runDate: '', days: [], dayOfMonth: '1', anchorDate: '', interval: null },
});

export function cadenceForm(cadence: Cadence): CadenceForm {
  const { type, zoneId, timeOfDay, runDate, daysOfWeek, dayOfMonth, anchorDate, interval } = cadence;
  return {
    type: isWritable(type) ? type : 'daily',
    zone: zoneId,
    time: timeOfDay ?? '',
    runDate: runDate ?? '',
    days: daysOfWeek ?? [],
    dayOfMonth: dayOfMonth === null ? '1' : String(dayOfMonth),
    anchorDate: anchorDate ?? '',
    interval: isWritable(type) ? interval : null,
  };
}

const given = (text: string) => (text === '' ? null : text);

/** The fields of its type, as they are sent; what is missing is for the service to say. */
export function cadenceBody({
  type,
  zone,
  time,
  runDate,
  days,
  dayOfMonth,
  anchorDate,
  interval,
}: CadenceForm) {
  const common = { type, zone_id: zone, time_of_day: given(time) };
  if (type === 'one_time') return { ...common, run_date: given(runDate) };
  return {
    ...common,
    anchor_date: given(anchorDate),
    interval,
    ...(type === 'weekly' ? { days_of_week: allWeekdays.filter((day) => days.includes(day)) } : {}),
    ...(type === 'monthly' ? { day_of_month: dayOfMonth === '' ? null : Number(dayOfMonth) } : {}),
  };
}
