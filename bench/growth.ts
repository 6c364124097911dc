/**
 * How cost grows: what an organization's requests take while it has more and more tables, while its lake has
 * more and more snapshots, or while there are more and more other organizations.
 *
 *   npm start                                       (in another terminal)
 *   node bench/growth.ts tables 100 1000 5000       sizes at which to measure, in ascending order
 *   node bench/growth.ts snapshots 1000 10000 50000
 *   node bench/growth.ts organizations 10 100 1000
 */
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { openApi, quantile, readStack } from './workspace.ts';

const stack = readStack();
const provision = { DATABASE_URL: stack.databaseUrl };
const columns = [
  { name: 'id', data_type: 'INTEGER' },
  { name: 'name', data_type: 'STRING' },
  { name: 'at', data_type: 'TIMESTAMP' },
];
let lastId = 0;
const newRows = () =>
  Array.from({ length: 10 }, () => ({
    s_id: ++lastId,
    id: lastId,
    name: `name ${lastId}`,
    at: '2026-01-01T00:00:00',
  }));

/** An organization's API, and a table to work with. */
interface Place {
  api: Awaited<ReturnType<typeof openApi>>;
  tableId: string;
}

async function newPlace(name: string): Promise<Place> {
  const made = await provisionOrganization(provision, { name });
  const api = await openApi({ ...stack, ...made });
  const tableId = await newTable(api, 'subject');
  await append({ api, tableId });
  return { api, tableId };
}

async function newTable(api: Place['api'], name: string): Promise<string> {
  const body = { name, kind: 'data', columns };
  return (await api.json<{ data: { tableId: string } }>('POST', '/v1/grid/tables', body)).data.tableId;
}

const append = ({ api, tableId }: Place) =>
  api.call('POST', `/v1/tables/${tableId}/rows`, JSON.stringify({ rows: newRows() }));

/** Does work `count` times, some at once. */
async function times(count: number, atOnce: number, work: (index: number) => Promise<unknown>) {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

let made = 0;
/** The requests that are measured: each what a user does all the time. */
const requests: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  'GET /v1/me': ({ api }) => api.call('GET', '/v1/me'),
  'a SELECT': ({ api }) =>
    api.call('POST', '/v1/query-executions', JSON.stringify({ sql: 'SELECT count(*) FROM subject' })),
  'an append': append,
  'one table': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}`),
  'its rows': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}/rows?limit=10`),
  'its versions': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}/versions?limit=50`),
  'all tables': ({ api }) => api.call('GET', '/v1/tables'),
  'the catalog': ({ api }) => api.call('GET', '/v1/tables/catalog?compact=true'),
  'its lineage': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}/lineage`),
  'its tests': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}/verification`),
  'a new table': ({ api }) => newTable(api, `made_${made++}`),
  'a new view': ({ api }) =>
    api.call(
      'POST',
      '/v1/views',
      JSON.stringify({ name: `view_${made++}`, query: 'SELECT id FROM subject' }),
    ),
};

async function measure(place: Place, size: number): Promise<void> {
  for (const [what, request] of Object.entries(requests)) {
    const taken: number[] = [];
    for (let round = 0; round < 25; round += 1) {
      const startedMs = performance.now();
      await request(place);
      taken.push(performance.now() - startedMs);
    }
    const [p50, most] = [quantile(taken, 0.5), Math.max(...taken)].map((ms) => ms.toFixed(1));
    process.stdout.write(`${String(size).padStart(8)}  ${what.padEnd(14)} p50 ${p50} ms, most ${most} ms\n`);
  }
}

/** Makes more of what grows, from one size to the next. */
const growing: Readonly<Record<string, (place: Place, from: number, to: number) => Promise<unknown>>> = {
  tables: ({ api }, from, to) => times(to - from, 8, (index) => newTable(api, `other_${from + index}`)),
  snapshots: async ({ api }, from, to) => {
    // Appends to one table that arrive together are one commit: eight tables are eight.
    const lanes = await Promise.all(
      Array.from({ length: 8 }, (_, lane) => newTable(api, `lane_${from}_${lane}`)),
    );
    await Promise.all(
      lanes.map((tableId) => times(Math.ceil((to - from) / lanes.length), 1, () => append({ api, tableId }))),
    );
  },
  organizations: (_, from, to) => times(to - from, 8, (index) => newPlace(`Other ${from + index}`)),
};

const [what = 'tables', ...sizes] = process.argv.slice(2);
const grow = growing[what];
if (grow === undefined) throw new Error(`Unknown: ${what}. Known: ${Object.keys(growing).join(', ')}.`);
const place = await newPlace('Bench of growth');
let size = 0;
for (const next of sizes.map(Number)) {
  const startedMs = performance.now();
  await grow(place, size, next);
  process.stdout.write(`${next} ${what} after ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`);
  size = next;
  await measure(place, size);
}
