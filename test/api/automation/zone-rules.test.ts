import { beforeAll, expect, test } from 'vitest';
import { nextOccurrence } from '../../../domain/automation/cadences/next.ts';
import { newestZones, samplesOf, type Transition, transitionsOf } from '../../data/zone-rules/newest.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;

/** Instants of the next ten years in every zone, with the offset that clocks have then, from the newest rules. */
let samples: Transition[];

beforeAll(async () => {
  client = await workspace.organization();
  const day = 86_400_000;
  const fromMs = Math.floor(Date.now() / day) * day;
  const toMs = fromMs + 3_653 * day;
  const all = samplesOf(await transitionsOf(await newestZones(), fromMs, toMs), toMs);
  samples = all.filter(([zone]) => zone !== 'Factory');
}, 120_000);

const shown = ([, at, offset]: Transition) => new Date((at + offset) * 1_000).toISOString().slice(0, 19);

test('SQL shows the local time of every zone, and takes it back', async () => {
  const body = { name: 'zones', kind: 'data', columns: [] as object[] };
  body.columns.push({ name: 'zone', data_type: 'STRING' }, { name: 'shown', data_type: 'STRING' });
  body.columns.push({ name: 'at', data_type: 'BIGINT' });
  const { tableId } = (await client.call('POST', '/v1/grid/tables', { body })).body.data;
  for (let from = 0; from < samples.length; from += 10_000) {
    const rows = samples
      .slice(from, from + 10_000)
      .map((sample, index) => ({ s_id: from + index, zone: sample[0], at: sample[1], shown: shown(sample) }));
    const { status, text } = await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows } });
    expect(status, text).toBe(200);
  }
  // A local time that a clock shows twice, or never, is not one instant; around changes none is taken back.
  const sql = `
    WITH read AS (
      SELECT zone, at, shown, timezone(zone, to_timestamp(at)) AS local,
        lag(shown) OVER (PARTITION BY zone ORDER BY at) AS before
      FROM zones)
    SELECT count(*) AS samples,
      count(*) FILTER (strftime(local, '%Y-%m-%dT%H:%M:%S') <> shown) AS wrong,
      any_value(zone || ' ' || shown || ' ' || local) FILTER (strftime(local, '%Y-%m-%dT%H:%M:%S') <> shown) AS one
    FROM read`;
  const { body: answer, text } = await client.call('POST', '/v1/query-executions', { body: { sql } });
  expect(answer.data?.rows, text).toEqual([{ samples: samples.length, wrong: 0, one: null }]);
});
