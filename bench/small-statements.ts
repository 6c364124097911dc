/**
 * Statements that take the engine next to nothing, and group-bys over a million rows: over HTTP here and, in
 * the same run and over the same Parquet file, by roapi; then many clients of two organizations at once.
 *
 *   npm start                     (in another terminal)
 *   node bench/small-statements.ts [ROAPI [clients [seconds]]]
 *
 * `ROAPI` is the program of that name from its package (`pip install roapi`, 0.12.7); `-` leaves it out. A
 * fifth of the clients belong to one organization, the others to another, as those who must not wait for
 * their neighbour.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { freePort } from '../local/ports.ts';
import { createHttpClient, openApi, quantile, readStack, uploadFile } from './workspace.ts';

const [roapi = '-', clients = '64', seconds = '20'] = process.argv.slice(2);
const stack = readStack();
const folder = await mkdtemp(join(tmpdir(), 'bench-statements-'));
const file = join(folder, 'million.parquet');
let asked = 0;

type Api = Awaited<ReturnType<typeof openApi>>;
interface Place {
  name: string;
  api: Api;
}

const statements = {
  'SELECT 1': 'SELECT 1',
  'a row of a small table': 'SELECT * FROM small',
  'group by, 100 groups': 'SELECT kind, count(*) AS n, sum(amount) AS total FROM million GROUP BY kind',
  'group by, 10,000 groups':
    'SELECT customer, count(*) AS n, avg(amount) AS mean FROM million GROUP BY customer ORDER BY n DESC LIMIT 100',
};

await writeMillion();
const places = [await newPlace('Few clients'), await newPlace('Many clients')];
const peer = roapi === '-' ? undefined : await startRoapi(roapi);
try {
  for (const [what, sql] of Object.entries(statements)) {
    const [first, again, theirs] = await paired(sql);
    const beside = theirs.length === 0 ? '' : `, roapi ${quantile(theirs, 0.5).toFixed(1)} ms`;
    const own = `p50 ${quantile(first, 0.5).toFixed(1)} ms, remembered ${quantile(again, 0.5).toFixed(1)} ms`;
    console.log(`${what}: ${own}${beside}`);
  }
} finally {
  peer?.stop();
}
await together();
await rm(folder, { recursive: true });
process.exit(0);

async function writeMillion(): Promise<void> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`COPY (
    SELECT i AS id, 'kind ' || (i % 100) AS kind, (i * 7919) % 10000 AS customer, (i * 31) % 100000 / 100.0 AS amount
    FROM range(1000000) AS r (i)) TO '${file}'`);
}

async function newPlace(name: string): Promise<Place> {
  const made = await provisionOrganization({ DATABASE_URL: stack.databaseUrl }, { name });
  const api = await openApi({ ...stack, ...made });
  const columns = [{ name: 'name', data_type: 'STRING' }];
  const table = await api.json<{ data: { tableId: string } }>('POST', '/v1/grid/tables', {
    ...{ name: 'small', kind: 'data', columns },
  });
  await api.json('POST', `/v1/tables/${table.data.tableId}/rows`, { rows: [{ s_id: 1, name: 'one' }] });
  const project = await api.json<{ data: { id: string } }>('POST', '/v1/projects', { name: 'Bench' });
  const fileId = await uploadFile(api, project.data.id, { file, path: 'million.parquet' });
  const path = `/v1/projects/${project.data.id}/files/${fileId}/imports`;
  const started = await api.json<{ data: { id: string } }>('POST', path, { table_name: 'million' });
  for (;;) {
    const { data } = await api.json<{ data: { status: string } }>(
      'GET',
      `/v1/table-imports/${started.data.id}`,
    );
    if (data.status === 'succeeded') return { name, api };
    if (data.status === 'failed') throw new Error('The import failed.');
    await setTimeout(200);
  }
}

function ask({ api }: Place, sql: string): Promise<string> {
  return api.call('POST', '/v1/query-executions', JSON.stringify({ sql }));
}

async function startRoapi(program: string) {
  const port = await freePort();
  const small = join(folder, 'small.json');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`COPY (SELECT 'one' AS name) TO '${small}' (ARRAY)`);
  const tables = [`million=${file}`, `small=${small}`].flatMap((table) => ['--table', table]);
  const child = spawn(program, [...tables, '--addr-http', `127.0.0.1:${port}`], { stdio: 'ignore' });
  const send = createHttpClient(`http://127.0.0.1:${port}`, 1);
  const askPeer = async (sql: string): Promise<void> => {
    const { status, text } = await send('POST', '/api/sql', {}, sql);
    if (status !== 200) throw new Error(`roapi: ${status} ${text.slice(0, 300)}`);
  };
  for (let tries = 0; ; tries += 1) {
    try {
      await askPeer('SELECT 1');
      return { ask: askPeer, stop: () => child.kill() };
    } catch (error) {
      if (tries === 100) throw error;
      await setTimeout(100);
    }
  }
}

/** Taking turns, so that a machine that slows down affects both. */
async function paired(sql: string): Promise<[number[], number[], number[]]> {
  const times: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 110; round += 1) {
    const first = await timed(() => ask(places[0]!, unseen(sql)));
    const again = await timed(() => ask(places[0]!, sql));
    const theirs = peer === undefined ? undefined : await timed(() => peer.ask(sql));
    if (round < 10) continue;
    times[0].push(first);
    times[1].push(again);
    if (theirs !== undefined) times[2].push(theirs);
  }
  return times;
}

/** The same statement in a text whose answer is not remembered. */
function unseen(sql: string): string {
  asked += 1;
  return `${sql} -- ${asked}`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function together(): Promise<void> {
  const few = Math.max(1, Math.floor(Number(clients) / 5));
  const until = performance.now() + Number(seconds) * 1_000;
  const results = places.map(({ name }) => ({ name, times: [] as number[], refused: 0, failed: 0 }));
  const client = async (index: number, which: number) => {
    const result = results[which]!;
    while (performance.now() < until) {
      const sql = unseen(index % 2 === 0 ? 'SELECT * FROM small' : 'SELECT count(*) AS n FROM million');
      const startedMs = performance.now();
      try {
        await ask(places[which]!, sql);
        result.times.push(performance.now() - startedMs);
      } catch (error) {
        if (/: 429 /.test(String(error))) result.refused += 1;
        else result.failed += 1;
        // What `Retry-After` asks for.
        await setTimeout(1_000);
      }
    }
  };
  const all = Array.from({ length: Number(clients) }, (_, index) => client(index, index < few ? 0 : 1));
  await Promise.all(all);
  for (const [which, { name, times, refused, failed }] of results.entries()) {
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    const number = which === 0 ? few : Number(clients) - few;
    console.log(
      `${name} (${number}): ${(times.length / Number(seconds)).toFixed(0)} statements/s, p50 ${p50.toFixed(0)} ms, ` +
        `p99 ${p99.toFixed(0)} ms (${(p99 / p50).toFixed(1)} times), ${refused} answered 429, ${failed} failed`,
    );
  }
}
