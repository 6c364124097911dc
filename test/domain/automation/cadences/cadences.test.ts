import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { nextOccurrence, refuseNewInterval } from '../../../../domain/automation/cadences/cadences.ts';
import type { Cadence, WritableCadence } from '../../../../packages/cadences/index.ts';

const at = { zoneId: 'Europe/Berlin', timeOfDay: '09:00' };
const once: WritableCadence = { type: 'one_time', ...at, runDate: '2028-02-29' };
const biweekly: Cadence = { type: 'biweekly', ...at };

test('a stored cadence that cannot be read is invalid_cadence', () => {
  const next = () => nextOccurrence({ type: 'daily', ...at, zoneId: 'Mars/Olympus' }, 0, 0);
  expect(next).toThrow(AppError);
  expect(next).toThrow(expect.objectContaining({ code: 'invalid_cadence' }));
  expect(next).toThrow('The zoneId "Mars/Olympus" isn\'t');
});

describe('an interval', () => {
  const every = (type: 'daily' | 'weekly', interval?: number) =>
    ({ type, ...at, daysOfWeek: ['MONDAY'], interval }) as WritableCadence;

  test('of one period is always let through', () => {
    for (const written of [every('daily'), every('daily', 1), once])
      expect(() => refuseNewInterval(written, undefined)).not.toThrow();
  });

  test('is let through where the same kind has it already', () => {
    expect(() => refuseNewInterval(every('weekly', 2), every('weekly', 2))).not.toThrow();
  });

  test.each([
    ['nothing', undefined],
    ['another one', every('weekly', 3)],
    ['none', every('weekly')],
    ['another kind’s', every('daily', 2)],
    ['biweekly', biweekly],
  ])('is invalid_cadence where %s is stored', (_, stored) => {
    const refusal = () => refuseNewInterval(every('weekly', 2), stored);
    expect(refusal).toThrow(AppError);
    expect(refusal).toThrow(expect.objectContaining({ code: 'invalid_cadence' }));
  });
});
