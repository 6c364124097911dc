import { beforeAll, expect, test } from 'vitest';
import { startDueBuilds } from '../../../../domain/tables/calculated-tables/on-change.ts';
import { shaping } from '../../../support/calculated.ts';
import { eventually } from '../../../support/eventually.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof shaping>;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
});

const hourMs = 3_600_000;
const look = (afterMs: number) =>
  startDueBuilds(workspace.activityDeps, client.organizationId, Date.now() + afterMs);
const runsOf = async (id: string) => (await client.call('GET', `/v1/grid/tables/${id}/runs`)).body.items;
const refresh = { mode: 'on_change', min_interval_seconds: 600 };

test('a change of what it reads builds it, once, after its interval; first it is built by request', async () => {
  const input = await on.data('watched', { n: 'INTEGER' });
  await on.append(input, [{ s_id: 1, n: 1 }]);
  await on.view('through', 'SELECT n FROM watched');
  const id = await on.calc('watching', 'SELECT sum(n) AS n FROM through', { refresh });
  await look(hourMs);
  expect(await runsOf(id)).toEqual([]);
  await on.materialized(id);
  await look(hourMs);
  expect(await runsOf(id)).toHaveLength(1);
  await on.append(input, [{ s_id: 2, n: 5 }]);
  await look(0);
  expect(await runsOf(id)).toHaveLength(1);
  await Promise.all([look(hourMs), look(hourMs)]);
  const [started] = await runsOf(id);
  expect(started.trigger).toEqual({ type: 'data_event', id: input });
  expect(await on.ended(id, started)).toMatchObject({ status: 'succeeded' });
  await eventually(
    () => on.status(id),
    ({ status }) => status === 'fresh',
  );
  await look(2 * hourMs);
  expect(await runsOf(id)).toHaveLength(2);
  expect(await on.rows('SELECT n FROM watching')).toEqual([{ n: 6 }]);
});

test('what failed is tried again only when something has changed', async () => {
  const input = await on.data('texts', { text: 'STRING' });
  await on.append(input, [{ s_id: 1, text: '1' }]);
  const id = await on.calc('parsed', 'SELECT CAST(text AS INTEGER) AS n FROM texts', { refresh });
  await on.materialized(id);
  await on.append(input, [{ s_id: 2, text: 'x' }]);
  await look(hourMs);
  const [failed] = await runsOf(id);
  expect(await on.ended(id, failed)).toMatchObject({ status: 'failed' });
  await look(2 * hourMs);
  expect(await runsOf(id)).toHaveLength(2);
  await on.must('PATCH', `/v1/grid/tables/${id}`, 200, { query: 'SELECT length(text) AS n FROM texts' });
  await look(2 * hourMs);
  const [mended] = await runsOf(id);
  expect(await on.ended(id, mended)).toMatchObject({ status: 'succeeded' });
  const path = `/v1/grid/tables/${id}/runs?limit=2`;
  const first = (await client.call('GET', path)).body;
  const rest = (await client.call('GET', `${path}&cursor=${first.nextCursor}`)).body;
  expect(rest).toMatchObject({ items: [{ id: expect.any(String) }], nextCursor: null });
  const idOf = (run: { id: string }) => run.id;
  expect([...first.items, ...rest.items].map(idOf)).toEqual((await runsOf(id)).map(idOf));
});
