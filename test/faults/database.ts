import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type PostgresHandle, startPostgres } from '../../local/postgres.ts';
import type { CopySource } from './copies.ts';
import type { Moments } from './moments.ts';
import { createRandom } from './random.ts';
import { createSourceRecords } from './source-records.ts';

/** A PostgreSQL server whose table is copied. It is killed and paused like the parts of the stack. */
export interface FaultDatabase extends CopySource {
  /** Of a data connection. */
  config: Record<string, unknown>;
  password: string;
  table: string;
  pid(): number | undefined;
  /** Delayed by some milliseconds. */
  isBeingCopied(): boolean;
  close(): Promise<void>;
}

/** Rows besides the records, with negative ids, so that a copy takes long enough for a fault to hit it. */
const rowsBeside = 1_200_000;
/** The overlap of an incremental dataset covers ten changes. */
const changeMs = 60_000;
const lookMs = 50;

export async function startDatabase(
  seed: number,
  moments: Moments,
  signal: AbortSignal,
): Promise<FaultDatabase> {
  const random = createRandom(seed, 'database');
  const folder = await mkdtemp(join(tmpdir(), 'workspace-faults-source-'));
  const options = { dataDir: join(folder, 'data'), logFile: join(folder, 'postgres.log'), database: 'shop' };
  const records = createSourceRecords(changeMs);
  let settled = 0;
  let copies = 0;
  let server: PostgresHandle | undefined = await startPostgres(options);
  const pool = new pg.Pool({ connectionString: server.databaseUrl, max: 2, connectionTimeoutMillis: 2_000 });
  pool.on('error', () => undefined);
  const url = new URL(server.databaseUrl);
  const over = new AbortController();
  const isOver = AbortSignal.any([signal, over.signal]);

  const keptUp = (async () => {
    for (;;) {
      await server?.exited;
      server = undefined;
      await delay(random.int(100, 2_000), undefined, { signal: isOver }).catch(() => undefined);
      if (isOver.aborted) return;
      server = await startPostgres(options);
    }
  })();

  const looked = (async () => {
    while (!isOver.aborted) {
      const before = copies;
      copies = await pool.query(copiesUnderWay).then(
        ({ rows }) => rows[0].copies,
        () => 0,
      );
      // A copy that is seen twice will last a moment longer.
      if (copies > 0 && before > 0) moments.comes('copying');
      await delay(lookMs, undefined, { signal: isOver }).catch(() => undefined);
    }
  })();

  await pool.query(`
    CREATE TABLE records (id bigint PRIMARY KEY, at timestamptz NOT NULL, value bigint NOT NULL);
    INSERT INTO records SELECT -n, '2025-01-01Z', 0 FROM generate_series(1, ${rowsBeside}) n`);

  return {
    config: {
      host: url.hostname,
      port: Number(url.port),
      database: 'shop',
      user: url.username,
      ssl_mode: 'disable',
    },
    password: url.password,
    table: 'public.records',
    records,
    beside: rowsBeside,
    settled: () => settled,
    async change(ids) {
      records.change(ids);
      const changed = records.changes.slice(-ids.length);
      const values = (field: 'id' | 'at' | 'value') => changed.map((record) => record[field]);
      // A write that failed or has an unknown outcome is repeated unchanged.
      while (!isOver.aborted) {
        const written = pool.query(writeRecords, [values('id'), values('at'), values('value')]);
        if (
          await written.then(
            () => true,
            () => false,
          )
        ) {
          settled = records.changes.length;
          return;
        }
        await delay(100, undefined, { signal: isOver }).catch(() => undefined);
      }
    },
    pid: () => server?.pid,
    isBeingCopied: () => copies > 0,
    async close() {
      over.abort();
      await looked;
      await pool.end();
      await server?.stop();
      await keptUp.catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const copiesUnderWay = `SELECT count(*)::int AS copies FROM pg_stat_activity
  WHERE datname = 'shop' AND state = 'active' AND query LIKE 'COPY %'`;

const writeRecords = `INSERT INTO records SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[])
  ON CONFLICT (id) DO UPDATE SET at = excluded.at, value = excluded.value`;
