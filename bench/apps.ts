/**
 * Checks of apps alone: many apps of many organizations, each with a process, checked every half minute
 * against a server on this machine that answers after some time. Prints checks per second, how regularly each
 * app was checked, and how free the worker's event loop was.
 *
 *   node bench/apps.ts [apps] [organizations] [seconds] [milliseconds until an answer]
 *
 * It starts its own PostgreSQL, Temporal and worker in a folder that it removes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase } from '../data/postgres/client.ts';
import { createTemporalClient } from '../data/processes/connect.ts';
import { createProcesses } from '../data/processes/processes.ts';
import { appHealthStart } from '../domain/workspace/apps/process.ts';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { startPostgres } from '../local/postgres.ts';
import { startTemporal } from '../local/temporal.ts';
import { ensureTools } from '../local/tools.ts';
import { migrateToLatest } from '../migrations/migrate.ts';
import type { WorkerFigures } from './apps-worker.ts';
import { quantile } from './workspace.ts';

const [apps = 1_000, organizations = 50, seconds = 90, answerMs = 20] = process.argv.slice(2).map(Number);
/** In which every process has begun, and its apps have been checked once. */
const warmUpSeconds = 45;

const folder = mkdtempSync(join(tmpdir(), 'bench-apps-'));
const place = (name: string) => ({ dataDir: join(folder, name), logFile: join(folder, `${name}.log`) });
const report = (text: string) => void process.stdout.write(`${text}\n`);
const tools = await ensureTools({ report });
const postgres = await startPostgres(place('postgres'));
const temporal = await startTemporal({ ...place('temporal'), temporal: tools.temporal });
await migrateToLatest(postgres.databaseUrl);

/** When each app was asked, by its path. */
const askedAtMs = new Map<string, number[]>();
const server = createServer((request, response) => {
  const path = request.url!;
  askedAtMs.set(path, [...(askedAtMs.get(path) ?? []), performance.now()]);
  setTimeout(() => response.end('ok'), answerMs);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const worker = await startWorker();
try {
  await startProcesses(await makeApps());
  await wait(warmUpSeconds * 1_000);
  askedAtMs.clear();
  worker.send('begin');
  await wait(seconds * 1_000);
  const figures = await figuresOf(worker);
  print(figures);
} finally {
  worker.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  await temporal.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function startWorker(): Promise<ChildProcess> {
  const environment = { DATABASE_URL: postgres.databaseUrl, TEMPORAL_ADDRESS: temporal.address };
  const child = fork(new URL('./apps-worker.ts', import.meta.url), {
    env: { ...process.env, ...environment },
  });
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: { ready?: boolean }) => message.ready && resolve());
    child.once('exit', () => reject(new Error('The worker ended.')));
  });
  return child;
}

function figuresOf(child: ChildProcess): Promise<WorkerFigures> {
  return new Promise((resolve) => {
    child.on('message', ({ figures }: { figures?: WorkerFigures }) => figures && resolve(figures));
    child.send('end');
  });
}

/** Inserts rows without requests, with their first checks spread over half a minute. */
async function makeApps(): Promise<string[]> {
  const client = new pg.Client({ connectionString: postgres.databaseUrl });
  await client.connect();
  const ids: string[] = [];
  for (let index = 0; index < organizations; index += 1) {
    const made = await provisionOrganization(
      { DATABASE_URL: postgres.databaseUrl },
      { name: `Bench ${index}` },
    );
    ids.push(made.organizationId);
    await client.query(
      `INSERT INTO deployed_apps (organization_id, slug, name, url, version, environment, health_path, deployed_by, deployed_at,
          is_live, failed_checks, last_elapsed_ms, last_checked_at, next_check_at)
        SELECT $1, 'app-' || n, 'App', $2, '1', 'production', '/' || $1 || '/' || n, 'bench', now(), true, 0, 0, now(),
          now() + random() * interval '30 seconds'
        FROM generate_series(1, $3::int) AS n`,
      [made.organizationId, origin, Math.ceil(apps / organizations)],
    );
  }
  await client.end();
  return ids;
}

async function startProcesses(ids: readonly string[]): Promise<void> {
  const client = createTemporalClient(
    { address: temporal.address, namespace: 'default', tls: false } as never,
    {},
  );
  const { db } = createDatabase({
    url: postgres.databaseUrl,
    maxConnections: 2,
    applicationName: 'bench',
  });
  const processes = createProcesses(db, client);
  // One whose start is not answered in time is started by the worker's reconciler.
  for (const id of ids) await processes.restart(appHealthStart(id)).catch(() => undefined);
  await client.connection.close();
  await db.destroy();
}

function print({ p50Ms, p99Ms, maxMs, cpuSeconds, rssBytes }: WorkerFigures): void {
  const times = [...askedAtMs.values()];
  const checks = times.reduce((sum, { length }) => sum + length, 0);
  const gaps = times.flatMap((at) => at.slice(1).map((ms, index) => (ms - at[index]!) / 1_000));
  const shown = [0.5, 0.99, 1].map((q) => quantile(gaps, q).toFixed(1)).join(', ');
  report(
    `${askedAtMs.size} apps of ${organizations} organizations for ${seconds} s: ${checks} checks, ${(checks / seconds).toFixed(1)} per second`,
  );
  report(`seconds between two checks of an app, p50, p99 and most: ${shown}`);
  report(
    `the worker's event loop was late by ${p50Ms.toFixed(1)} ms at p50, ${p99Ms.toFixed(1)} at p99, ${maxMs.toFixed(0)} at most; ${((100 * cpuSeconds) / seconds).toFixed(0)} % of a core, ${(rssBytes / 1_048_576).toFixed(0)} MiB`,
  );
}
