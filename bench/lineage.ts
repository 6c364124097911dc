/**
 * The lineage of a graph of tables, views and calculated tables, all of which is reached from its middle in
 * both directions, with what the engine said about each definition already kept.
 *
 *   npm start                     (in another terminal)
 *   node bench/lineage.ts [nodes] [requests]
 */
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { openApi, quantile, readStack } from './workspace.ts';

const [count = 1_000, requests = 50] = process.argv.slice(2).map(Number);
const stack = readStack();
const made = await provisionOrganization({ DATABASE_URL: stack.databaseUrl }, { name: 'Bench of lineage' });
const api = await openApi({ ...stack, ...made });
/** How many tables a view of the upper half reads, and how many definitions read each one of the lower. */
const fan = 8;
/** More statements of one organization may be refused while others run. */
const atOnce = 2;

const middle = await madeGraph();
for (const format of ['json', 'openlineage'] as const) {
  const url = `/v1/views/${middle}/lineage?format=${format}`;
  const times: number[] = [];
  let bytes = 0;
  for (let request = 0; request < requests; request += 1) {
    const startedMs = performance.now();
    bytes = (await api.call('GET', url)).length;
    times.push(performance.now() - startedMs);
  }
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)].map((ms) => ms.toFixed(1));
  process.stdout.write(`${format.padEnd(12)} p50 ${p50} ms, p99 ${p99} ms, ${bytes} bytes\n`);
}
const { data } = await api.json<{ data: { nodes: object[]; edges: object[] } }>(
  'GET',
  `/v1/views/${middle}/lineage`,
);
process.stdout.write(`${data.nodes.length} nodes, ${data.edges.length} edges\n`);
process.exit(0);

/** Tables join into one view, from which views and calculated tables branch. */
async function madeGraph(): Promise<string> {
  const tables = Math.floor((count * fan) / (2 * fan + 2));
  let layer = Array.from({ length: tables }, (_, index) => `source_${index}`);
  await all(layer, (name) => table(name));
  let id = '';
  for (let depth = 0; layer.length > 1; depth += 1) {
    const next = Array.from({ length: Math.ceil(layer.length / fan) }, (_, index) => `up_${depth}_${index}`);
    const below = layer;
    await all(next, async (name, index) => {
      const read = below.slice(index * fan, index * fan + fan).map((each) => `SELECT k, a, b FROM ${each}`);
      id = await view(name, read.join(' UNION ALL '));
    });
    layer = next;
  }
  let left = count - (await api.json<{ total: number }>('GET', '/v1/views')).total - tables;
  for (let depth = 0; left > 0; depth += 1) {
    const above = layer;
    const size = Math.min(left, layer.length * fan);
    layer = Array.from({ length: size }, (_, index) => `down_${depth}_${index}`);
    await all(layer, (name, index) => {
      const from = above[Math.floor(index / fan)];
      const sql = `SELECT k, sum(a) AS a, max(b) AS b FROM ${from} WHERE a > ${index} GROUP BY k`;
      return index % 2 === 0 ? view(name, sql) : calculated(name, sql);
    });
    left -= size;
  }
  return id;
}

async function all(names: readonly string[], make: (name: string, index: number) => Promise<unknown>) {
  for (let from = 0; from < names.length; from += atOnce)
    await Promise.all(names.slice(from, from + atOnce).map((name, index) => make(name, from + index)));
}

function table(name: string): Promise<unknown> {
  const columns = ['k', 'a', 'b'].map((column) => ({ name: column, data_type: 'INTEGER' }));
  return api.json('POST', '/v1/grid/tables', { name, kind: 'data', columns });
}

async function view(name: string, query: string): Promise<string> {
  return (await api.json<{ data: { id: string } }>('POST', '/v1/views', { name, query })).data.id;
}

function calculated(name: string, query: string): Promise<unknown> {
  return api.json('POST', '/v1/grid/tables', { name, query });
}
