import { describe, expect, test } from 'vitest';
import { type Cadence, cadenceView, type WritableCadence } from '../src/cadence.ts';
import { type CadenceFields, checkStoredCadence, checkWrittenCadence } from '../src/validate.ts';

const at = { zoneId: 'Europe/Berlin', timeOfDay: '09:00' };

const writable: WritableCadence[] = [
  { type: 'one_time', ...at, runDate: '2028-02-29' },
  { type: 'daily', ...at },
  { type: 'daily', ...at, anchorDate: '2027-01-01', interval: 1 },
  { type: 'weekly', ...at, daysOfWeek: ['MONDAY', 'SUNDAY'] },
  { type: 'monthly', ...at, timeOfDay: '23:59:59', dayOfMonth: 31 },
];

const legacy: Cadence[] = [
  { type: 'cron', zoneId: 'UTC', cronExpression: '0 9 * * MON-FRI' },
  { type: 'interval', zoneId: 'UTC', everyMinutes: 15 },
  { type: 'biweekly', ...at, anchorDate: '2027-01-04', daysOfWeek: ['MONDAY'] },
  { type: 'month_end', ...at },
];

/** Path and type of every fault. */
function faultsOf(fields: CadenceFields) {
  const checked = checkWrittenCadence(fields);
  return 'faults' in checked ? checked.faults.map(({ path, type }) => [path.join('.'), type]) : [];
}

describe('what may be written', () => {
  test.each(writable)('$type, and as it was shown', (cadence) => {
    expect(checkWrittenCadence({ ...cadence })).toEqual({ cadence });
    expect(checkWrittenCadence({ ...cadenceView(cadence) })).toEqual({ cadence });
  });

  test.each<[string, CadenceFields, [string, string][]]>([
    ['nothing', {}, [['type', 'missing']]],
    ['another kind', { ...at, type: 'yearly' }, [['type', 'enum']]],
    [
      'no time',
      { type: 'daily' },
      [
        ['zoneId', 'missing'],
        ['timeOfDay', 'missing'],
      ],
    ],
    ['no days', { ...at, type: 'weekly' }, [['daysOfWeek', 'missing']]],
    ['null days', { ...at, type: 'weekly', daysOfWeek: null }, [['daysOfWeek', 'missing']]],
    ['no days at all', { ...at, type: 'weekly', daysOfWeek: [] }, [['daysOfWeek', 'too_short']]],
    ['days as text', { ...at, type: 'weekly', daysOfWeek: 'MONDAY' }, [['daysOfWeek', 'list_type']]],
    ['a day’s case', { ...at, type: 'weekly', daysOfWeek: ['SUNDAY', 'monday'] }, [['daysOfWeek.1', 'enum']]],
    [
      'a day twice',
      { ...at, type: 'weekly', daysOfWeek: ['MONDAY', 'MONDAY'] },
      [['daysOfWeek.1', 'value_error']],
    ],
    [
      'eight days',
      { ...at, type: 'weekly', daysOfWeek: Array(8).fill('MONDAY') },
      [['daysOfWeek', 'too_long']],
    ],
    ['no day of the month', { ...at, type: 'monthly' }, [['dayOfMonth', 'missing']]],
    ['day 0', { ...at, type: 'monthly', dayOfMonth: 0 }, [['dayOfMonth', 'greater_than_equal']]],
    ['day 32', { ...at, type: 'monthly', dayOfMonth: 32 }, [['dayOfMonth', 'less_than_equal']]],
    ['half a day', { ...at, type: 'monthly', dayOfMonth: 1.5 }, [['dayOfMonth', 'int_type']]],
    ['a day as text', { ...at, type: 'monthly', dayOfMonth: '1' }, [['dayOfMonth', 'int_type']]],
    ['no date', { ...at, type: 'one_time' }, [['runDate', 'missing']]],
    [
      'a date with a time',
      { ...at, type: 'one_time', runDate: '2027-01-01T09:00' },
      [['runDate', 'string_pattern_mismatch']],
    ],
    ['no such date', { ...at, type: 'one_time', runDate: '2027-02-29' }, [['runDate', 'value_error']]],
    ['a year beyond', { ...at, type: 'one_time', runDate: '2100-01-01' }, [['runDate', 'value_error']]],
    ['24:00', { ...at, type: 'daily', timeOfDay: '24:00' }, [['timeOfDay', 'string_pattern_mismatch']]],
    ['9:00', { ...at, type: 'daily', timeOfDay: '9:00' }, [['timeOfDay', 'string_pattern_mismatch']]],
    ['a time of numbers', { ...at, type: 'daily', timeOfDay: 900 }, [['timeOfDay', 'string_type']]],
    ['an offset', { ...at, type: 'daily', zoneId: '+02:00' }, [['zoneId', 'value_error']]],
    ['no such zone', { ...at, type: 'daily', zoneId: 'Mars/Olympus' }, [['zoneId', 'value_error']]],
    ['a zone of Intl alone', { ...at, type: 'daily', zoneId: 'PST' }, [['zoneId', 'value_error']]],
    ['interval 0', { ...at, type: 'daily', interval: 0 }, [['interval', 'greater_than_equal']]],
    ['a field of another kind', { ...at, type: 'daily', dayOfMonth: 1 }, [['dayOfMonth', 'extra_forbidden']]],
    ['an interval once', { ...writable[0], interval: 1 }, [['interval', 'extra_forbidden']]],
    ['a field of no kind', { ...at, type: 'daily', timezone: 'UTC' }, [['timezone', 'extra_forbidden']]],
  ])('%s is a fault at its place', (_, fields, faults) => {
    expect(faultsOf(fields)).toEqual(faults);
  });

  test.each(['US/Pacific', 'Asia/Kolkata', 'Etc/GMT+5', 'UTC', 'America/Argentina/ComodRivadavia'])(
    'the zone %s',
    (zoneId) => {
      expect(faultsOf({ type: 'daily', zoneId, timeOfDay: '09:00' })).toEqual([]);
    },
  );
});

describe('kinds of old', () => {
  test.each(legacy)('$type is read, and is a fault when written', (cadence) => {
    expect(checkStoredCadence({ ...cadenceView(cadence) })).toEqual({ cadence });
    expect(faultsOf({ ...cadence })).toEqual([['type', 'enum']]);
  });

  test('an expression that cannot be read is told when it comes in', () => {
    const cron = (cronExpression: string) =>
      checkStoredCadence({ type: 'cron', zoneId: 'UTC', cronExpression });
    for (const expression of ['0 9 * *', '61 * * * *', '2027-01-01T00:00:00', 'x'.repeat(300)])
      expect(cron(expression)).toEqual({ faults: [expect.objectContaining({ path: ['cronExpression'] })] });
  });
});
