import { test } from 'vitest';
import type { Cadence } from '../../packages/cadences/index.ts';
import { useYear } from './schedule-year.ts';

const { throughAYear } = useYear();

const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Gaza',
  'Pacific/Apia',
] as const;

/** One of each type, at a local time that is skipped and repeated in most of the zones. */
const kinds: Omit<Cadence, 'zoneId'>[] = [
  { type: 'weekly', timeOfDay: '02:15', daysOfWeek: ['SUNDAY'] },
  { type: 'monthly', timeOfDay: '02:15', dayOfMonth: 31 },
  { type: 'month_end', timeOfDay: '02:15' },
  { type: 'biweekly', timeOfDay: '01:45', daysOfWeek: ['SUNDAY'] },
  { type: 'cron', cronExpression: '15 2 * * 0' },
  { type: 'interval', everyMinutes: 10_001 },
] as unknown as Omit<Cadence, 'zoneId'>[];

test.each(zones)('in %s every kind fires through a year, each time once', async (zoneId) => {
  const daily = zoneId === 'Europe/Berlin' ? [{ type: 'daily', timeOfDay: '02:15' }] : [];
  await throughAYear([...daily, ...kinds].map((kind) => ({ ...kind, zoneId }) as Cadence));
});
