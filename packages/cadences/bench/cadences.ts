/**
 * How long computing a next occurrence takes, for each kind of cadence; and, with `zones`, a comparison with
 * Intl's clock for every minute around every transition of every zone of the runtime from 2010 to 2030.
 *
 *   node packages/cadences/bench/cadences.ts
 *   node packages/cadences/bench/cadences.ts zones
 */
import { type Cadence, nextOccurrence } from '../index.ts';
import { walkZone } from '../test/walk.ts';

const createdAtMs = Date.UTC(2026, 0, 15, 12);
const at = { zoneId: 'Europe/Berlin', timeOfDay: '02:30' };

const cadences: Record<string, Cadence> = {
  one_time: { ...at, type: 'one_time', runDate: '2040-03-25' },
  daily: { ...at, type: 'daily' },
  'daily, every 7th day': { ...at, type: 'daily', interval: 7, anchorDate: '2020-01-01' },
  weekly: { ...at, type: 'weekly', daysOfWeek: ['MONDAY', 'THURSDAY'] },
  'weekly, every 52nd week': { ...at, type: 'weekly', daysOfWeek: ['SUNDAY'], interval: 52 },
  monthly: { ...at, type: 'monthly', dayOfMonth: 31 },
  'monthly, every 600th month': { ...at, type: 'monthly', dayOfMonth: 31, interval: 600 },
  cron: { type: 'cron', zoneId: at.zoneId, cronExpression: '30 2 * * MON-FRI' },
  'cron, 29 February': { type: 'cron', zoneId: at.zoneId, cronExpression: '0 9 29 2 *' },
  interval: { type: 'interval', zoneId: at.zoneId, everyMinutes: 15 },
  biweekly: { ...at, type: 'biweekly', daysOfWeek: ['TUESDAY'], anchorDate: '2026-01-06' },
  month_end: { ...at, type: 'month_end' },
};

function measure(): void {
  const coldMs = performance.now();
  nextOccurrence(cadences['daily']!, createdAtMs, createdAtMs);
  console.log(`the first of a process: ${(performance.now() - coldMs).toFixed(1)} ms`);
  for (const [name, cadence] of Object.entries(cadences)) {
    // Ten years of instants, so that they include days with a transition.
    const count = 20_000;
    const instants = Array.from({ length: count }, (_, k) => createdAtMs + k * 15_778_463);
    for (const afterMs of instants.slice(0, 2_000)) nextOccurrence(cadence, afterMs, createdAtMs);
    const startMs = performance.now();
    for (const afterMs of instants) nextOccurrence(cadence, afterMs, createdAtMs);
    const eachUs = ((performance.now() - startMs) * 1_000) / count;
    console.log(`${name.padEnd(28)} ${eachUs.toFixed(1).padStart(7)} µs`);
  }
  const zones = Intl.supportedValuesOf('timeZone');
  const startMs = performance.now();
  for (const zoneId of zones) nextOccurrence({ ...at, type: 'daily', zoneId }, createdAtMs, createdAtMs);
  const eachMs = (performance.now() - startMs) / zones.length;
  console.log(`a zone's first               ${eachMs.toFixed(2).padStart(7)} ms, over ${zones.length} zones`);
}

function walk(): void {
  const zones = Intl.supportedValuesOf('timeZone');
  const startMs = performance.now();
  const totals = { transitions: 0, asked: 0, wrong: 0 };
  for (const zoneId of zones) {
    const { transitions, asked, wrong } = walkZone(zoneId, 2010, 2030);
    for (const line of wrong.slice(0, 5)) console.log(`${zoneId}: ${line}`);
    totals.transitions += transitions;
    totals.asked += asked;
    totals.wrong += wrong.length;
  }
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
  console.log(
    `${zones.length} zones, ${totals.transitions} transitions, ${totals.asked} occurrences: ${totals.wrong} wrong, in ${seconds} s`,
  );
  process.exitCode = totals.wrong > 0 ? 1 : 0;
}

if (process.argv[2] === 'zones') walk();
else measure();
