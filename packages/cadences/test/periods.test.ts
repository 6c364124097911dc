import { describe, expect, test } from 'vitest';
import type { Cadence } from '../src/cadence.ts';
import { createdAtMs, fires } from './fires.ts';

describe('the ends of months', () => {
  test('day 31 fires on the last day of a shorter month', () => {
    const cadence: Cadence = { type: 'monthly', zoneId: 'UTC', timeOfDay: '09:00', dayOfMonth: 31 };
    expect(fires(cadence, '2028-01-15T00:00:00Z', 4)).toEqual([
      ['2028-01-31T09:00:00Z', '2028-01-31T09:00:00', null],
      ['2028-02-29T09:00:00Z', '2028-02-29T09:00:00', 'month_end'],
      ['2028-03-31T09:00:00Z', '2028-03-31T09:00:00', null],
      ['2028-04-30T09:00:00Z', '2028-04-30T09:00:00', 'month_end'],
    ]);
  });

  test.each([29, 30, 31])('day %i fires on 28 February', (dayOfMonth) => {
    const cadence: Cadence = { type: 'monthly', zoneId: 'UTC', timeOfDay: '09:00', dayOfMonth };
    expect(fires(cadence, '2027-02-01T00:00:00Z', 1)).toEqual([
      ['2027-02-28T09:00:00Z', '2027-02-28T09:00:00', 'month_end'],
    ]);
  });

  test('a month end that falls into a gap says that it does', () => {
    const cadence: Cadence = { type: 'monthly', zoneId: 'Africa/Cairo', timeOfDay: '00:30', dayOfMonth: 31 };
    expect(fires(cadence, '2027-04-10T00:00:00Z', 1)).toEqual([
      ['2027-04-29T22:00:00Z', '2027-04-30T00:30:00', 'gap'],
    ]);
  });

  test('a month_end cadence says the last day, so nothing is moved', () => {
    const cadence: Cadence = { type: 'month_end', zoneId: 'UTC', timeOfDay: '18:00:05' };
    expect(fires(cadence, '2027-02-01T00:00:00Z', 2)).toEqual([
      ['2027-02-28T18:00:05Z', '2027-02-28T18:00:05', null],
      ['2027-03-31T18:00:05Z', '2027-03-31T18:00:05', null],
    ]);
  });
});

describe('periods', () => {
  const at = { zoneId: 'America/New_York', timeOfDay: '08:00' };
  const dates = (cadence: Cadence, after: string, limit = 4, createdMs = createdAtMs) =>
    fires(cadence, after, limit, createdMs).map(([, localTime]) => localTime!.slice(0, 10));

  test('are counted from the anchorDate, over transitions, and none is before it', () => {
    const cadence: Cadence = { ...at, type: 'daily', interval: 3, anchorDate: '2027-03-13' };
    const expected = ['2027-03-13', '2027-03-16', '2027-03-19', '2027-03-22'];
    expect(dates(cadence, '2020-01-01T00:00:00Z')).toEqual(expected);
    expect(dates(cadence, '2027-03-16T12:00:00Z', 1)).toEqual(['2027-03-19']);
    expect(dates({ ...at, type: 'daily', anchorDate: '2027-03-13' }, '2020-01-01T00:00:00Z', 2)).toEqual([
      '2027-03-13',
      '2027-03-14',
    ]);
  });

  test('are counted from the date of creation in the zone where there is no anchorDate', () => {
    const cadence: Cadence = { ...at, type: 'daily', interval: 2 };
    // 2027-01-02T03:00Z is still 1 January in New York.
    const createdMs = Date.UTC(2027, 0, 2, 3);
    expect(dates(cadence, '2027-01-02T03:00:00Z', 3, createdMs)).toEqual([
      '2027-01-03',
      '2027-01-05',
      '2027-01-07',
    ]);
    // Earlier periods are counted backwards, for backfills.
    expect(dates(cadence, '2026-12-28T00:00:00Z', 2, createdMs)).toEqual(['2026-12-28', '2026-12-30']);
  });

  test('of weeks begin on Monday, and each of their days counts', () => {
    const cadence: Cadence = {
      ...at,
      type: 'weekly',
      daysOfWeek: ['SUNDAY', 'MONDAY', 'WEDNESDAY'],
      interval: 2,
      anchorDate: '2027-01-06',
    };
    // 6 January 2027 is a Wednesday: the Monday of its week is before it.
    expect(dates(cadence, '2026-01-01T00:00:00Z', 6)).toEqual([
      '2027-01-06',
      '2027-01-10',
      '2027-01-18',
      '2027-01-20',
      '2027-01-24',
      '2027-02-01',
    ]);
  });

  test('of months keep their day, whatever the months between have', () => {
    const cadence: Cadence = {
      ...at,
      type: 'monthly',
      dayOfMonth: 31,
      interval: 3,
      anchorDate: '2026-11-30',
    };
    expect(dates(cadence, '2026-01-01T00:00:00Z')).toEqual([
      '2026-11-30',
      '2027-02-28',
      '2027-05-31',
      '2027-08-31',
    ]);
  });

  test('biweekly counts weeks by two, on the anchor’s weekday where none is given', () => {
    const cadence: Cadence = { ...at, type: 'biweekly', anchorDate: '2027-03-02' };
    expect(dates(cadence, '2027-03-02T18:00:00Z', 2)).toEqual(['2027-03-16', '2027-03-30']);
    const days: Cadence = { ...cadence, daysOfWeek: ['FRIDAY', 'TUESDAY'] };
    expect(dates(days, '2027-03-02T18:00:00Z', 3)).toEqual(['2027-03-05', '2027-03-16', '2027-03-19']);
  });

  test('an interval counts minutes of the clock, from the anchor or from creation', () => {
    const zoneId = 'Europe/Berlin';
    const twelveHours: Cadence = { type: 'interval', zoneId, everyMinutes: 720, anchorDate: '2027-03-27' };
    expect(fires(twelveHours, '2027-01-01T00:00:00Z', 4)).toEqual([
      ['2027-03-26T23:00:00Z', '2027-03-27T00:00:00', null],
      ['2027-03-27T11:00:00Z', '2027-03-27T12:00:00', null],
      ['2027-03-27T23:00:00Z', '2027-03-28T00:00:00', null],
      ['2027-03-28T10:00:00Z', '2027-03-28T12:00:00', null],
    ]);
    expect(fires({ type: 'interval', zoneId, everyMinutes: 90 }, '2026-01-15T12:03:28Z', 2)).toEqual([
      ['2026-01-15T13:33:27Z', '2026-01-15T14:33:27', null],
      ['2026-01-15T15:03:27Z', '2026-01-15T16:03:27', null],
    ]);
  });
});
