import { describe, expect, test } from 'vitest';
import type { Cadence } from '../src/cadence.ts';
import { nextOccurrence } from '../src/next.ts';
import { UnreadableCadence } from '../src/unreadable.ts';
import { createdAtMs, fires } from './fires.ts';

function daily(zoneId: string, timeOfDay: string): Cadence {
  return { type: 'daily', zoneId, timeOfDay };
}

describe('a spring gap', () => {
  test.each([
    ['Europe/Berlin', '02:30', '2027-03-27T12:00:00Z', '2027-03-28T01:00:00Z', '2027-03-28T02:30:00'],
    ['Europe/Berlin', '02:00', '2027-03-27T12:00:00Z', '2027-03-28T01:00:00Z', '2027-03-28T02:00:00'],
    ['Europe/Berlin', '02:59:59', '2027-03-27T12:00:00Z', '2027-03-28T01:00:00Z', '2027-03-28T02:59:59'],
    ['America/New_York', '02:30', '2027-03-13T12:00:00Z', '2027-03-14T07:00:00Z', '2027-03-14T02:30:00'],
    ['Australia/Lord_Howe', '02:15', '2027-10-02T00:00:00Z', '2027-10-02T15:30:00Z', '2027-10-03T02:15:00'],
    ['Asia/Gaza', '02:30', '2023-04-28T12:00:00Z', '2023-04-29T00:00:00Z', '2023-04-29T02:30:00'],
    ['Africa/Casablanca', '02:30', '2023-04-22T12:00:00Z', '2023-04-23T02:00:00Z', '2023-04-23T02:30:00'],
    ['Pacific/Apia', '09:00', '2011-12-30T00:00:00Z', '2011-12-30T10:00:00Z', '2011-12-30T09:00:00'],
  ])('%s at %s fires at the first valid instant after it', (zoneId, timeOfDay, after, at, localTime) => {
    expect(fires(daily(zoneId, timeOfDay), after, 1)).toEqual([[at, localTime, 'gap']]);
  });

  test('the end of a gap is a time like any other', () => {
    expect(fires(daily('Europe/Berlin', '03:00'), '2027-03-27T12:00:00Z', 2)).toEqual([
      ['2027-03-28T01:00:00Z', '2027-03-28T03:00:00', null],
      ['2027-03-29T01:00:00Z', '2027-03-29T03:00:00', null],
    ]);
  });

  test('what fired at its end does not fire again', () => {
    expect(fires(daily('Europe/Berlin', '02:30'), '2027-03-28T01:00:00Z', 1)).toEqual([
      ['2027-03-29T00:30:00Z', '2027-03-29T02:30:00', null],
    ]);
  });

  test('a day that a zone skipped fires at its end, beside the day after', () => {
    expect(fires(daily('Pacific/Apia', '09:00'), '2011-12-29T00:00:00Z', 3)).toEqual([
      ['2011-12-29T19:00:00Z', '2011-12-29T09:00:00', null],
      ['2011-12-30T10:00:00Z', '2011-12-30T09:00:00', 'gap'],
      ['2011-12-30T19:00:00Z', '2011-12-31T09:00:00', null],
    ]);
  });

  test('several times that come at one instant are one fire, as the one that the clock shows', () => {
    expect(fires(daily('Pacific/Apia', '00:00'), '2011-12-29T00:00:00Z', 3)).toEqual([
      ['2011-12-29T10:00:00Z', '2011-12-29T00:00:00', null],
      ['2011-12-30T10:00:00Z', '2011-12-31T00:00:00', null],
      ['2011-12-31T10:00:00Z', '2012-01-01T00:00:00', null],
    ]);
    const quarters: Cadence = { type: 'cron', zoneId: 'Europe/Berlin', cronExpression: '*/15 * * * *' };
    expect(fires(quarters, '2027-03-28T00:30:00Z', 3)).toEqual([
      ['2027-03-28T00:45:00Z', '2027-03-28T01:45:00', null],
      ['2027-03-28T01:00:00Z', '2027-03-28T03:00:00', null],
      ['2027-03-28T01:15:00Z', '2027-03-28T03:15:00', null],
    ]);
  });

  test('of several that the clock never shows it is the first', () => {
    const cadence: Cadence = { type: 'cron', zoneId: 'Europe/Berlin', cronExpression: '5,25,45 * * * *' };
    expect(fires(cadence, '2027-03-28T00:45:00Z', 2)).toEqual([
      ['2027-03-28T01:00:00Z', '2027-03-28T02:05:00', 'gap'],
      ['2027-03-28T01:05:00Z', '2027-03-28T03:05:00', null],
    ]);
  });
});

describe('an autumn overlap', () => {
  test.each([
    ['Europe/Berlin', '02:30', '2027-10-30T12:00:00Z', '2027-10-31T00:30:00Z', '2027-10-31T02:30:00'],
    ['Europe/Berlin', '02:00', '2027-10-30T12:00:00Z', '2027-10-31T00:00:00Z', '2027-10-31T02:00:00'],
    ['America/New_York', '01:30', '2027-11-06T12:00:00Z', '2027-11-07T05:30:00Z', '2027-11-07T01:30:00'],
    ['Australia/Lord_Howe', '01:45', '2027-04-03T00:00:00Z', '2027-04-03T14:45:00Z', '2027-04-04T01:45:00'],
    ['Asia/Gaza', '01:30', '2023-10-27T12:00:00Z', '2023-10-27T22:30:00Z', '2023-10-28T01:30:00'],
    ['Africa/Casablanca', '02:30', '2023-03-18T12:00:00Z', '2023-03-19T01:30:00Z', '2023-03-19T02:30:00'],
  ])('%s at %s fires once, at the first', (zoneId, timeOfDay, after, at, localTime) => {
    expect(fires(daily(zoneId, timeOfDay), after, 1)).toEqual([[at, localTime, 'overlap']]);
    const nextDay = new Date(Date.parse(`${localTime}Z`) + 86_400_000).toISOString().slice(0, 19);
    expect(fires(daily(zoneId, timeOfDay), at, 1)[0]?.slice(1)).toEqual([nextDay, null]);
  });

  test('the second pass is silent, from whichever instant of it one asks', () => {
    const cadence: Cadence = { type: 'cron', zoneId: 'Europe/Berlin', cronExpression: '*/20 * * * *' };
    for (const after of ['2027-10-31T00:40:00Z', '2027-10-31T01:00:00Z', '2027-10-31T01:59:59.999Z'])
      expect(fires(cadence, after, 1)).toEqual([['2027-10-31T02:00:00Z', '2027-10-31T03:00:00', null]]);
  });
});

test('one_time fires once', () => {
  const cadence: Cadence = {
    type: 'one_time',
    zoneId: 'Asia/Tokyo',
    timeOfDay: '09:00',
    runDate: '2027-05-01',
  };
  expect(fires(cadence, '2027-04-01T00:00:00Z', 5)).toEqual([
    ['2027-05-01T00:00:00Z', '2027-05-01T09:00:00', null],
  ]);
  expect(fires(cadence, '2027-05-01T00:00:00Z', 5)).toEqual([]);
  expect(fires(cadence, '2027-04-30T23:59:59.999Z', 5)).toHaveLength(1);
});

describe('cron', () => {
  const next = (cronExpression: string, after = '2027-01-01T12:00:00Z') =>
    fires({ type: 'cron', zoneId: 'UTC', cronExpression }, after, 1)[0]?.[1];

  test.each([
    ['0 9 * * MON-FRI', '2027-01-04T09:00:00'],
    ['15 30 12 ? * *', '2027-01-01T12:30:15'],
    ['@monthly', '2027-02-01T00:00:00'],
    ['0 0 L * *', '2027-01-31T00:00:00'],
    ['5/20 * * * *', '2027-01-01T12:05:00'],
    ['0 0 29 2 *', '2028-02-29T00:00:00'],
    ['0 0 13 * FRI', '2027-01-08T00:00:00'],
    ['0 0 30 2 *', undefined],
  ])('%s', (expression, expected) => {
    expect(next(expression)).toBe(expected);
  });

  test('fires at the first valid instant where croner itself would skip', () => {
    const cadence: Cadence = { type: 'cron', zoneId: 'Europe/Berlin', cronExpression: '30 */2 * * *' };
    expect(fires(cadence, '2027-03-28T00:00:00Z', 2)).toEqual([
      ['2027-03-28T01:00:00Z', '2027-03-28T02:30:00', 'gap'],
      ['2027-03-28T02:30:00Z', '2027-03-28T04:30:00', null],
    ]);
  });
});

describe('what cannot be read any more', () => {
  test.each<[string, Cadence, string]>([
    ['an expression', { type: 'cron', zoneId: 'UTC', cronExpression: 'at noon' }, 'cronExpression "at noon"'],
    ['a zone', daily('Mars/Olympus', '09:00'), 'zoneId "Mars/Olympus"'],
  ])('%s is refused with what to do', (_, cadence, words) => {
    const next = () => nextOccurrence(cadence, createdAtMs, createdAtMs);
    expect(next).toThrow(UnreadableCadence);
    expect(next).toThrow(words);
    expect(next).toThrow('Replace ');
  });
});

test('nothing fires after the year 2099', () => {
  expect(fires(daily('UTC', '09:00'), '2099-12-30T12:00:00Z', 5)).toHaveLength(1);
  expect(fires(daily('UTC', '09:00'), '9000-01-01T00:00:00Z', 5)).toEqual([]);
  const far: Cadence = {
    type: 'monthly',
    zoneId: 'UTC',
    timeOfDay: '09:00',
    dayOfMonth: 1,
    interval: 600,
  };
  expect(fires(far, '2027-01-01T00:00:00Z', 5)).toHaveLength(1);
});

test('a list holds at most a hundred', () => {
  expect(fires(daily('UTC', '09:00'), '2027-01-01T00:00:00Z', 1_000)).toHaveLength(100);
});
