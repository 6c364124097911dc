import { beforeAll, expect, test } from 'vitest';
import { nextOccurrence } from '../../../domain/automation/cadences/cadences.ts';
import { newestZones, samplesOf, type Transition, transitionsOf } from '../../data/zone-rules/newest.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

interface Sample {
  zone: string;
  /** Seconds since 1970. */
  instant: number;
  /** What clocks show then. */
  shown: string;
  /** Whether they show it once: no change is within a day. */
  once: boolean;
}

interface Fire {
  at: string;
  localTime: string;
  note: string | null;
}

const workspace = useWorkspace();
let client: TestClient;
/** Of the next ten years, in every zone of the newest rules. */
let samples: Sample[];

const day = 86_400;
const shownAt = (at: number, offset: number) => new Date((at + offset) * 1_000).toISOString().slice(0, 19);

beforeAll(async () => {
  client = await workspace.organization();
  const fromMs = Math.floor(Date.now() / 1_000 / day) * day * 1_000;
  const toMs = fromMs + 3_653 * day * 1_000;
  const transitions = await transitionsOf(await newestZones(), fromMs, toMs);
  const all = samplesOf(transitions, toMs).filter(([zone]) => zone !== 'Factory');
  const isNear = (one: Transition, other: Transition | undefined) =>
    other !== undefined && Math.abs(one[1] - other[1]) < day;
  samples = all.map((sample, index) => {
    const [zone, at, offset] = sample;
    const once = !isNear(sample, all[index - 1]) && !isNear(sample, all[index + 1]);
    return { zone, instant: at, shown: shownAt(at, offset), once };
  });
}, 120_000);

test('SQL shows the local time of every zone, and takes it back', async () => {
  const columns = [
    { name: 'zone', data_type: 'STRING' },
    { name: 'shown', data_type: 'STRING' },
    { name: 'instant', data_type: 'INTEGER' },
    { name: 'once', data_type: 'BOOLEAN' },
  ];
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'zones', kind: 'data', columns },
  });
  const url = `/v1/tables/${made.body.data.tableId}/rows`;
  for (let from = 0; from < samples.length; from += 5_000) {
    const rows = samples
      .slice(from, from + 5_000)
      .map((sample, index) => ({ s_id: from + index, ...sample }));
    const { status, text } = await client.call('POST', url, { body: { rows } });
    expect(status, text).toBe(200);
  }
  const sql = `
    WITH read AS (
      SELECT *, strftime(timezone(zone, to_timestamp(instant)), '%Y-%m-%dT%H:%M:%S') <> shown
          OR (once AND timezone(zone, shown::TIMESTAMP) <> to_timestamp(instant)) AS is_wrong
      FROM zones)
    SELECT count(*) AS samples, count(*) FILTER (once) > 60000 AS many,
      any_value(zone || ' ' || shown) FILTER (is_wrong) AS wrong
    FROM read`;
  const { body, text } = await client.call('POST', '/v1/query-executions', { body: { sql } });
  expect(body.data?.rows, text).toEqual([{ samples: samples.length, many: true, wrong: null }]);
});

test('schedules fire at the local time of every zone', () => {
  const wrong = samples.filter(({ zone, instant, shown, once }) => {
    if (!once) return false;
    const [runDate = '', timeOfDay = ''] = shown.split('T');
    const cadence = { type: 'one_time', zoneId: zone, runDate, timeOfDay } as const;
    return nextOccurrence(cadence, (instant - day) * 1_000, 0)?.atMs !== instant * 1_000;
  });
  expect(wrong.slice(0, 20)).toEqual([]);
});

test('the fires that a schedule shows are those that SQL computes', async () => {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Zones' } })).body.data.id;
  const playbook = await client.call('POST', `/v1/projects/${project}/playbooks`, {
    body: { title: 'Count', instructions: '- how many tables', model: 'offline' },
  });
  const target = { project_id: project, playbook_id: playbook.body.data.id };
  const zones = ['Africa/Casablanca', 'America/Edmonton', 'America/Havana', 'America/Vancouver', 'Asia/Gaza'];
  for (const zone of zones) {
    const schedule = { type: 'monthly', zone_id: zone, time_of_day: '02:30', day_of_month: 29 };
    const made = await client.call('POST', '/v1/schedules', { body: { kind: 'playbook', target, schedule } });
    const url = `/v1/schedules/${made.body.data.id}/occurrences?limit=100`;
    const { items } = (await client.call('GET', url)).body as { items: Fire[] };
    // A time that the clock shows twice is not one instant.
    const plain = items.filter(({ note }) => note === null);
    expect(plain.length).toBeGreaterThan(90);
    const rows = plain.map(({ at, localTime }) => `('${localTime}'::TIMESTAMP, '${at}'::TIMESTAMPTZ)`);
    const sql = `SELECT count(*) AS n, count(*) FILTER (timezone('${zone}', shown) <> fired) AS wrong
      FROM (VALUES ${rows}) AS fires (shown, fired)`;
    const { body, text } = await client.call('POST', '/v1/query-executions', { body: { sql } });
    expect(body.data?.rows, `${zone}: ${text}`).toEqual([{ n: plain.length, wrong: 0 }]);
  }
});
