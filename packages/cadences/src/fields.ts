import { Temporal } from 'temporal-polyfill';
import { type CadenceField, firstYear, lastYear, weekdays } from './cadence.ts';
import { cronFault } from './cron.ts';
import { isZone } from './zones.ts';

/** A fault in one field, in the vocabulary of section 1 of the contract. */
export interface CadenceFault {
  /** Path within the cadence, in camelCase: `["daysOfWeek", 0]`. */
  path: (string | number)[];
  type: string;
  msg: string;
}

type Check = (value: unknown, path: string) => CadenceFault[];

const fault = (path: CadenceFault['path'], type: string, msg: string): CadenceFault[] => [
  { path, type, msg },
];

/** The rules of each field, independent of the cadence's type. */
export const fieldChecks: Record<CadenceField | 'zoneId', Check> = {
  zoneId: (value, path) =>
    text(value, path, (zoneId) =>
      isZone(zoneId)
        ? []
        : fault(
            [path],
            'value_error',
            'There is no such time zone. Use a name from the tz database, for example Europe/Berlin.',
          ),
    ),
  timeOfDay: (value, path) =>
    text(value, path, (timeOfDay) =>
      /^([01]\d|2[0-3])(:[0-5]\d){1,2}$/.test(timeOfDay)
        ? []
        : fault([path], 'string_pattern_mismatch', 'Input should be a time of day: HH:MM or HH:MM:SS.'),
    ),
  runDate: date,
  anchorDate: date,
  daysOfWeek: (value, path) => {
    if (!Array.isArray(value)) return fault([path], 'list_type', 'Input should be a list of weekdays.');
    if (value.length === 0) return fault([path], 'too_short', 'Input should name at least one weekday.');
    if (value.length > 7) return fault([path], 'too_long', 'Input should name each weekday once.');
    return value.flatMap((day: unknown, index) => {
      if (!weekdays.some((known) => known === day))
        return fault([path, index], 'enum', `Input should be one of ${weekdays.join(', ')}.`);
      if (value.indexOf(day) < index) return fault([path, index], 'value_error', `${day} is listed twice.`);
      return [];
    });
  },
  dayOfMonth: (value, path) => integer(value, path, 31),
  // Neither bound limits a realistic cadence; they keep dates within the supported years.
  interval: (value, path) => integer(value, path, 10_000),
  everyMinutes: (value, path) => integer(value, path, 10_000_000),
  cronExpression: (value, path) =>
    text(value, path, (expression) => {
      if (expression.length > 256)
        return fault([path], 'string_too_long', 'Input should have at most 256 characters.');
      const why = cronFault(expression);
      return why === undefined ? [] : fault([path], 'value_error', `The expression isn't valid: ${why}`);
    }),
};

function text(value: unknown, path: string, check: (value: string) => CadenceFault[]): CadenceFault[] {
  return typeof value === 'string' ? check(value) : fault([path], 'string_type', 'Input should be a string.');
}

function date(value: unknown, path: string): CadenceFault[] {
  return text(value, path, (written) => {
    if (!/^\d{4}-\d\d-\d\d$/.test(written))
      return fault([path], 'string_pattern_mismatch', 'Input should be a date: YYYY-MM-DD.');
    const year = Number(written.slice(0, 4));
    if (!isDate(written) || year < firstYear || year > lastYear)
      return fault(
        [path],
        'value_error',
        `Input should be a date that exists, of the years ${firstYear} to ${lastYear}.`,
      );
    return [];
  });
}

function isDate(written: string): boolean {
  try {
    Temporal.PlainDate.from(written);
    return true;
  } catch {
    return false;
  }
}

function integer(value: unknown, path: string, maximum: number): CadenceFault[] {
  if (!Number.isSafeInteger(value)) return fault([path], 'int_type', 'Input should be an integer.');
  if (Number(value) < 1) return fault([path], 'greater_than_equal', 'Input should be at least 1.');
  if (Number(value) > maximum) return fault([path], 'less_than_equal', `Input should be at most ${maximum}.`);
  return [];
}
