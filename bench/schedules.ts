/**
 * Firing alone, with a target that does nothing: how late fires are at increasing rates while ten thousand
 * schedules have a process each, and how long it takes to catch up on everything that came due while all
 * parts were down.
 *
 *   node bench/schedules.ts [schedules] [seconds per rate] [seconds down]
 *
 * It starts its own PostgreSQL, Temporal and worker in a folder that it removes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../data/ids.ts';
import { createDatabase, inOrganization } from '../data/postgres/client.ts';
import { createTemporalClient } from '../data/processes/connect.ts';
import { createProcesses } from '../data/processes/processes.ts';
import { scheduleStart } from '../domain/automation/schedules/process.ts';
import type { Schedule } from '../domain/automation/schedules/schedules.ts';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { startPostgres } from '../local/postgres.ts';
import { startTemporal } from '../local/temporal.ts';
import { ensureTools } from '../local/tools.ts';
import { migrateToLatest } from '../migrations/migrate.ts';
import { quantile } from './workspace.ts';

const [schedules = 10_000, rateSeconds = 30, downSeconds = 90] = process.argv.slice(2).map(Number);
const rates = [10, 20, 40];
const restSeconds = 10;
/** The local Temporal server starts about 19 per second on two cores. */
const startedASecond = 15;
/** The second at which each of the first schedules fires, counted from the first fire. */
const atRate = rates.flatMap((rate, phase) =>
  Array.from(
    { length: rate * rateSeconds },
    (_, fire) => phase * (rateSeconds + restSeconds) + Math.floor(fire / rate),
  ),
);
const organizations = 10;

const folder = mkdtempSync(join(tmpdir(), 'bench-schedules-'));
const place = (name: string) => ({ dataDir: join(folder, name), logFile: join(folder, `${name}.log`) });
const report = (text: string) => void process.stdout.write(`${text}\n`);
const tools = await ensureTools({ report });

let postgres = await startPostgres({ ...place('postgres'), sharedBuffersMib: 512 });
let temporal = await startTemporal({ ...place('temporal'), temporal: tools.temporal });
await migrateToLatest(postgres.databaseUrl);
let worker = await startWorker();
const sql = new pg.Pool({ connectionString: postgres.databaseUrl, max: 4 });
sql.on('error', () => undefined);

interface BenchWorker {
  child: ChildProcess;
  peakBytes(): number;
}

try {
  const ids = await makeSchedules();
  const firesMs = wholeSecond(Date.now() + (ids.length / startedASecond) * 1_000 + 30_000);
  const downMs = firesMs + rates.length * (rateSeconds + restSeconds) * 1_000 + 10_000;
  await setTimes(ids, timesFrom(firesMs, downMs));
  report(`${ids.length} processes started at ${(await startAll(ids)).toFixed(0)} a second`);
  await atRates(firesMs);
  report(`with all of them the worker held at most ${mebibytes(worker.peakBytes())} MiB`);
  await afterAnOutage(ids.length - atRate.length, downMs);
  report(`after it the worker held at most ${mebibytes(worker.peakBytes())} MiB`);
} finally {
  worker.child.kill('SIGKILL');
  await sql.end();
  await temporal.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function startWorker(): Promise<BenchWorker> {
  const environment = { DATABASE_URL: postgres.databaseUrl, TEMPORAL_ADDRESS: temporal.address };
  const child = fork(new URL('./schedules-worker.ts', import.meta.url), {
    env: { ...process.env, ...environment },
  });
  let peak = 0;
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: { ready?: boolean; rssBytes?: number }) => {
      peak = Math.max(peak, message.rssBytes ?? 0);
      if (message.ready) resolve();
    });
    child.once('exit', () => reject(new Error('The worker ended.')));
  });
  return { child, peakBytes: () => peak };
}

/** Inserts rows without requests: the measurement begins when their processes exist. */
async function makeSchedules(): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < organizations; index += 1) {
    const { organizationId, clientId } = await provisionOrganization(
      { DATABASE_URL: postgres.databaseUrl },
      { name: `Bench ${index}` },
    );
    const projectId = newId('prj');
    const own = Array.from({ length: schedules / organizations }, () => newId('sch'));
    await sql.query(`INSERT INTO projects (organization_id, id, name) VALUES ($1, $2, 'Bench')`, [
      organizationId,
      projectId,
    ]);
    await sql.query(
      `INSERT INTO schedules (organization_id, id, project_id, playbook_id, cadence, status, considered_until, created_by)
        SELECT $1, id, $2, 'pbk_bench', '{}', 'active', now(), $3 FROM unnest($4::text[]) AS id`,
      [organizationId, projectId, clientId, own],
    );
    ids.push(...own);
  }
  return ids;
}

/** Fires at each rate in turn; the others come due during the downtime. */
function timesFrom(fromMs: number, downMs: number): (index: number) => number {
  return (index) => {
    const second = atRate[index];
    if (second !== undefined) return fromMs + second * 1_000;
    return downMs + 5_000 + (index % (downSeconds - 10)) * 1_000;
  };
}

function mebibytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}

async function setTimes(ids: readonly string[], timeOf: (index: number) => number): Promise<void> {
  const cadences = ids.map((_, index) => {
    const timeOfDay = new Date(timeOf(index)).toISOString().slice(11, 19);
    return JSON.stringify({ type: 'daily', zoneId: 'UTC', timeOfDay });
  });
  await sql.query(
    `UPDATE schedules s SET cadence = n.cadence::jsonb, revision = revision + 1, considered_until = now(), updated_at = now(),
        next_run_at = now() + interval '1 day'
      FROM unnest($1::text[], $2::text[]) AS n (id, cadence) WHERE s.id = n.id`,
    [ids, cadences],
  );
}

/** Starts or wakes each schedule's process; returns the rate per second. */
async function startAll(ids: readonly string[]): Promise<number> {
  const settings = { address: temporal.address, namespace: 'default', tls: false } as never;
  const client = createTemporalClient(settings, {});
  const { db } = createDatabase({
    url: postgres.databaseUrl,
    maxConnections: 2,
    applicationName: 'bench',
  });
  const processes = createProcesses(db, client);
  const { rows } = await sql.query<Schedule>('SELECT * FROM schedules');
  const startedMs = performance.now();
  const queue = [...rows];
  const lane = async () => {
    for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
      const start = await inOrganization(db, row.organization_id, (tx) => scheduleStart(tx, row));
      await processes.wake(start, { name: 'wake', args: [] }).catch(() => queue.unshift(row!));
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  const seen = () => sql.query(`SELECT count(*)::int AS n FROM schedules WHERE seen_revision < revision`);
  while ((await seen()).rows[0].n > 0) await wait(500);
  const seconds = (performance.now() - startedMs) / 1_000;
  await client.connection.close();
  await db.destroy();
  return ids.length / seconds;
}

async function atRates(fromMs: number): Promise<void> {
  if (fromMs < Date.now()) throw new Error('The processes were not there in time; take fewer.');
  for (const [phase, rate] of rates.entries()) {
    const beginMs = fromMs + phase * (rateSeconds + restSeconds) * 1_000;
    const endMs = beginMs + rateSeconds * 1_000;
    await wait(endMs + 7_000 - Date.now());
    const { rows } = await sql.query<{ late: number; status: string }>(
      `SELECT extract(epoch FROM created_at - scheduled_for) * 1000 AS late, status FROM schedule_runs
        WHERE scheduled_for >= $1 AND scheduled_for < $2`,
      [new Date(beginMs), new Date(endMs)],
    );
    const late = rows.map((row) => Number(row.late));
    const ended = rows.filter((row) => row.status === 'succeeded').length;
    report(
      `${rate} fires a second for ${rateSeconds} s: ${late.length} of ${rate * rateSeconds} fired, ${ended} ended; late p50 ${quantile(late, 0.5).toFixed(0)} ms, p99 ${quantile(late, 0.99).toFixed(0)} ms`,
    );
  }
}

/** Cadences have a resolution of one second. */
function wholeSecond(atMs: number): number {
  return Math.ceil(atMs / 1_000) * 1_000;
}

async function afterAnOutage(due: number, downMs: number): Promise<void> {
  await wait(downMs - Date.now());
  worker.child.kill('SIGKILL');
  await temporal.stop();
  await postgres.stop();
  report(`all parts are down for ${downSeconds} s`);
  await wait(downMs + downSeconds * 1_000 - Date.now());
  postgres = await startPostgres({ ...place('postgres'), sharedBuffersMib: 512, port: postgres.port });
  temporal = await startTemporal({ ...place('temporal'), temporal: tools.temporal, port: temporal.port });
  worker = await startWorker();
  const upMs = Date.now();
  const counted = () =>
    sql.query(
      `SELECT count(*)::int AS fired, count(DISTINCT schedule_id)::int AS schedules,
        count(*) FILTER (WHERE status = 'succeeded')::int AS ended,
        extract(epoch FROM max(created_at)) * 1000 AS last FROM schedule_runs WHERE scheduled_for >= $1`,
      [new Date(downMs)],
    );
  for (;;) {
    const { fired, schedules: of, ended, last } = (await counted()).rows[0];
    const isOver = Date.now() - upMs > 900_000;
    if (ended === due || isOver) {
      const seconds = ((Number(last) - upMs) / 1_000).toFixed(0);
      report(
        `after it: ${of} of ${due} schedules fired, ${fired - of} of them twice, ${ended} ended; the last one fired ${seconds} s after everything was up, ended after ${((Date.now() - upMs) / 1_000).toFixed(0)} s`,
      );
      return;
    }
    await wait(1_000);
  }
}
