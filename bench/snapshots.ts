/**
 * Snapshots: a table of PostgreSQL compared with the engine's own scan of it, both to Parquet in S3, in one
 * run; and how close an HTTP source gets to its limits.
 *
 *   ALLOWED_PRIVATE_ADDRESSES=127.0.0.0/8 npm start     (in another terminal)
 *   node bench/snapshots.ts [rows] [rounds] [--keep]
 *
 * The peer is bench/peers/dlt_sql.py.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { readApiConfig } from '../api/config.ts';
import { createLocalEngine } from '../data/lake/engine/local.ts';
import { literal } from '../data/lake/sql.ts';
import { createObjectStore } from '../data/objects/store.ts';
import { watchRss } from './peers/process_tree.ts';
import { openApi, quantile, readStack } from './workspace.ts';

const [rows = 10_000_000, rounds = 1] = process.argv.slice(2).map(Number);
const isKept = process.argv.includes('--keep');
const stack = readStack();
const { objectStore, extensionDir } = readApiConfig({
  ...stack.environment,
  DATABASE_URL: stack.databaseUrl,
});
const { json } = await openApi(stack);
const database = `bench_source_${process.pid}`;

interface Data<T> {
  data: T;
}
interface Run {
  status: string;
  error: { message: string } | null;
  startedAt: string;
  finishedAt: string | null;
  rowsCopied: number;
  requestsMade: number;
}

async function onDatabase<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(stack.databaseUrl);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Created anew, so that nothing of it exists before. */
async function makeSource(): Promise<URL> {
  const url = new URL(stack.databaseUrl);
  await onDatabase(url.pathname.slice(1), (client) => client.query(`CREATE DATABASE ${database}`));
  url.pathname = `/${database}`;
  await onDatabase(database, (client) =>
    client.query(`CREATE SCHEMA shop; CREATE TABLE shop.orders AS
      SELECT n AS id, n % 100000 AS customer, (n % 100000)::numeric(12,2) / 100 AS amount, 'order number ' || n AS title,
        md5(n::text) AS reference, (ARRAY['open', 'paid', 'sent'])[1 + n % 3] AS state, date '2020-01-01' + (n % 2000)::int AS day,
        timestamptz '2020-01-01' + n * interval '1 second' AS at, n % 7 = 0 AS gift, n / 7.0::float8 AS weight
      FROM generate_series(1::bigint, ${rows}) AS n; ANALYZE shop.orders`),
  );
  return url;
}

async function engineScan(source: URL): Promise<number> {
  const workDir = await mkdtemp(join(tmpdir(), 'snapshot-bench-'));
  const settings = { extensionDir, objectStore, workDir, memoryLimitBytes: 1_200_000_000, threads: 2 };
  const engine = await createLocalEngine(settings);
  const objects = createObjectStore(objectStore);
  const prefix = `snapshot-bench/${process.pid}/`;
  try {
    return await engine.scratch(async (connection) => {
      await connection.run(`ATTACH ${literal(source.href)} AS source (TYPE postgres, READ_ONLY)`);
      const started = performance.now();
      await connection.run(
        `COPY (FROM source.shop.orders) TO 's3://${objectStore.bucket}/${prefix}scan.parquet' (FORMAT parquet, COMPRESSION zstd)`,
      );
      return performance.now() - started;
    });
  } finally {
    await objects.removeAll(prefix);
    objects.close();
    engine.close();
    await rm(workDir, { recursive: true, force: true });
  }
}

async function connect(body: object): Promise<string> {
  const name = `Bench ${process.pid} ${performance.now()}`;
  const made = await json<Data<{ id: string }>>('POST', '/v1/connections/data', {
    name,
    snapshot_config: { enabled: true },
    ...body,
  });
  return `/v1/connections/data/${made.data.id}`;
}

async function snapshot(dataset: string): Promise<{ run: Run; ms: number }> {
  const { data } = await json<Data<{ id: string }>>('POST', `${dataset}/snapshots`);
  for (;;) {
    const { data: run } = await json<Data<Run>>('GET', `${dataset}/snapshots/${data.id}`);
    if (run.finishedAt === null) await wait(200);
    else if (run.status !== 'succeeded') throw new Error(`${run.status}: ${run.error?.message}`);
    else return { run, ms: Date.parse(run.finishedAt) - Date.parse(run.startedAt) };
  }
}

async function attach(connection: string, resource: string): Promise<string> {
  const made = await json<Data<{ id: string }>>('POST', `${connection}/datasets`, {
    resource,
    name: resource,
  });
  return `${connection}/datasets/${made.data.id}`;
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

async function benchPostgres(): Promise<void> {
  const source = await makeSource();
  try {
    const config = {
      host: source.hostname,
      port: Number(source.port),
      database,
      user: decodeURIComponent(source.username),
      ssl_mode: 'disable',
    };
    const secrets = { password: decodeURIComponent(source.password) };
    const dataset = await attach(await connect({ type: 'postgres', config, secrets }), 'shop.orders');
    const scans: number[] = [];
    const copies: number[] = [];
    const peaks: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      scans.push(await engineScan(source));
      const memory = watchRss(stack.pids.worker);
      copies.push((await snapshot(dataset)).ms);
      peaks.push(memory.stop());
    }
    const [scan, copy] = [quantile(scans, 0.5), quantile(copies, 0.5)];
    print(
      `${rows} rows of ten columns: the engine's scan ${(scan / 1_000).toFixed(1)} s, a snapshot ${(copy / 1_000).toFixed(1)} s`,
    );
    print(
      `a snapshot reaches ${(scan / copy).toFixed(2)} of the scan: ${Math.round(rows / (copy / 1_000))} rows/s`,
    );
    print(`the worker and its processes held at most ${Math.max(...peaks)} MiB`);
  } finally {
    if (isKept) print(`the source stays at ${source.href.replace(/^postgres:/, 'postgresql:')}`);
    else
      await onDatabase(new URL(stack.databaseUrl).pathname.slice(1), (client) =>
        client.query(`DROP DATABASE ${database} WITH (FORCE)`),
      );
  }
}

const pages = 1_000;
const perPage = 100;

async function benchHttp(limits: { requests_per_second: number }): Promise<void> {
  const times: number[] = [];
  const server = createServer((request, response) => {
    times.push(performance.now());
    const page = Number(new URL(request.url!, 'http://source').searchParams.get('page'));
    const items = Array.from({ length: page > pages ? 0 : perPage }, (_, index) => ({
      id: page * perPage + index,
      title: `record ${page * perPage + index}`,
      at: new Date(1.7e12 + page * 1_000).toISOString(),
    }));
    response.end(JSON.stringify(items));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const { port } = server.address() as AddressInfo;
    const policy = { limits, resources: [{ request_path: '/records', pagination: { mode: 'page' } }] };
    const connection = await connect({
      type: 'http',
      config: { base_url: `http://127.0.0.1:${port}`, auth_type: 'none' },
      snapshot_config: { enabled: true, http_replication: policy },
    });
    const { run } = await snapshot(await attach(connection, '/records'));
    const perSecond = (times.length - 1) / ((times.at(-1)! - times[0]!) / 1_000);
    const most = Math.max(
      ...times.map((time) => times.filter((other) => other >= time && other < time + 1_000).length),
    );
    print(
      `HTTP, ${limits.requests_per_second} requests/s allowed: ${run.requestsMade} made at ${perSecond.toFixed(1)}/s (${((100 * perSecond) / limits.requests_per_second).toFixed(0)} %), at most ${most} in any second`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

for (const requests_per_second of [10, 50, 1_000]) await benchHttp({ requests_per_second });
await benchPostgres();
