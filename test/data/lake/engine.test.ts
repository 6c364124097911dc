import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../data/errors.ts';
import type { LakeEngine } from '../../../data/lake/engine/contract.ts';
import { EngineEndedError, isTransientFailure } from '../../../data/lake/engine/failure.ts';
import { createLakeEngine, type EngineOptions } from '../../../data/lake/engine/pool.ts';
import { engineModule } from '../../../service/engine-process/open.ts';
import { expectEventually } from '../../support/eventually.ts';
import { testStores } from '../../support/stores.ts';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const { extensionDir, objectStore } = testStores();
const engines: LakeEngine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

function newEngine(change: Partial<EngineOptions> = {}): LakeEngine {
  const engine = createLakeEngine({
    module: engineModule,
    extensionDir,
    objectStore,
    workDir: process.env['WORK_DIR'] ?? '/tmp/engine-test',
    memoryLimitBytes: 300_000_000,
    threads: 1,
    processes: 1,
    waiting: { perOrganization: 2, inAll: 8, shareWaitMs: 200 },
    waitMs: 20_000,
    sessionTimeoutMs: 60_000,
    niceness: 0,
    refusal: () => new AppError('overloaded', 'Too many.'),
    ...change,
  });
  engines.push(engine);
  return engine;
}

/** Many processes starting at once take their time. */
const endless = 'SELECT count(*) FROM range(1000000000000)';
const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

/** An organization's table with a row, and the lake that it is in. */
async function newTable() {
  const client = await workspace.organization();
  const body = { name: 'readings', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] };
  const table = (await client.call('POST', '/v1/grid/tables', { body })).body.data.tableId as string;
  await client.call('POST', `/v1/tables/${table}/rows`, { body: { rows: [{ s_id: 1, amount: 2 }] } });
  return { client, table, lake: await workspace.deps.lake.catalog.get(client.organizationId) };
}

describe('an engine process', () => {
  test('gives plain values, counts of changed rows, and rows as JSON text', async () => {
    const engine = newEngine();
    await engine.scratch('org', async (connection) => {
      await connection.run('CREATE TEMP TABLE t (a BIGINT, b VARCHAR)');
      expect(await connection.run('INSERT INTO t VALUES ($1, $2), (3, NULL)', [9007199254740993n, 'x'])).toBe(
        2,
      );
      expect(await connection.read('SELECT a, b, a > 3 AS c FROM t ORDER BY a')).toEqual({
        names: ['a', 'b', 'c'],
        rows: [
          [3n, null, false],
          [9007199254740993n, 'x', true],
        ],
      });
      expect(
        await connection.readTexts("SELECT a, a AS big, TIME '10:00' AS t FROM t ORDER BY a DESC LIMIT 1"),
      ).toEqual([{ first: 9007199254740993n, text: '{"big":"9007199254740993","t":"10:00:00.000000"}' }]);
      const { rows } = await connection.read("SELECT DATE '2026-01-01', MAP {'a': 1}");
      expect(rows[0]![0]).toBe('2026-01-01');
    });
  });

  test('that ends costs the one who used it a 503, and the next one nothing', async () => {
    const engine = newEngine();
    await engine.scratch('org', (connection) => connection.run('SELECT 1'));
    const [pid] = engine.processIds();
    const victim = failureOf(engine.scratch('org', (connection) => connection.run(endless)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(pid!, 'SIGKILL');
    const error = await victim;
    expect(error).toBeInstanceOf(EngineEndedError);
    expect(isTransientFailure(error)).toBe(true);
    expect(
      await engine.scratch('other', async (connection) => (await connection.read('SELECT 7')).rows),
    ).toEqual([[7]]);
    expect(engine.processIds()).not.toContain(pid);
  });

  test('that ended while it was idle is not chosen again', async () => {
    const engine = newEngine();
    await engine.scratch('org', (connection) => connection.run('SELECT 1'));
    const [pid] = engine.processIds();
    process.kill(pid!, 'SIGKILL');
    await expectEventually(() => engine.processIds()).not.toContain(pid);
    await engine.scratch('org', (connection) => connection.run('SELECT 1'));
  });

  test('is interrupted when nobody waits any more, and serves the next one', async () => {
    const engine = newEngine();
    const gone = new AbortController();
    const work = failureOf(
      engine.scratch('org', (connection) => connection.run(endless), { signal: gone.signal }),
    );
    setTimeout(() => gone.abort(new Error('gone')), 300);
    expect(await work).toEqual(new Error('gone'));
    const [pid] = engine.processIds();
    await engine.scratch('org', (connection) => connection.run('SELECT 1'));
    expect(engine.processIds()).toEqual([pid]);
  });

  test('hears an interrupt that comes with its statement', async () => {
    const engine = newEngine();
    await engine.scratch('org', (connection) => connection.run('SELECT 1'));
    const pids = engine.processIds();
    for (let round = 0; round < 20; round += 1) {
      const gone = new AbortController();
      const work = failureOf(
        engine.scratch(
          'org',
          (connection) => {
            const running = connection.run(endless);
            if (round % 2 === 0) gone.abort(new Error('gone'));
            else setImmediate(() => gone.abort(new Error('gone')));
            return running;
          },
          { signal: gone.signal },
        ),
      );
      expect(await work).toEqual(new Error('gone'));
      expect(engine.processIds()).toEqual(pids);
    }
  });

  test('takes no longer than its time', async () => {
    const engine = newEngine();
    const work = engine.scratch('org', (connection) => connection.run(endless), { timeoutMs: 300 });
    await expect(work).rejects.toMatchObject({ code: 'storage_unavailable' });
  });

  test('that needs too much memory says so', async () => {
    const engine = newEngine();
    const work = engine.scratch('org', (connection) =>
      connection.run('SELECT list(md5(i::VARCHAR)) FROM range(100000000) r(i)'),
    );
    await expect(work).rejects.toThrow(/Out of Memory|No space|max_temp/);
    await engine.scratch('org', (connection) => connection.run('SELECT 1'));
  });

  test('leaves no transaction behind where its work failed', async () => {
    const { lake } = await newTable();
    const engine = newEngine();
    const failed = engine.use(lake.writer, async (connection) => {
      await connection.run('BEGIN');
      await connection.run('INSERT INTO readings VALUES (2, 3, now())');
      throw new Error('ours');
    });
    await expect(failed).rejects.toThrow('ours');
    const rows = await engine.use(lake.writer, (connection) => connection.read('SELECT s_id FROM readings'));
    expect(rows.rows).toEqual([[1n]]);
  });

  test('whose engine is lost is replaced', async () => {
    const { client, lake } = await newTable();
    const engine = newEngine();
    const read = () => engine.use(lake.writer, (connection) => connection.read('SELECT s_id FROM readings'));
    await read();
    const [pid] = engine.processIds();
    // The engine remembers the catalog's table of these rows, and does not survive its removal.
    const { catalogPool } = workspace.deps.lake;
    const { rows } = await catalogPool.query<{ table_name: string }>(
      `SELECT table_name FROM "${lake.schema}".ducklake_inlined_data_tables`,
    );
    await catalogPool.query(`DROP TABLE "${lake.schema}"."${rows[0]!.table_name}"`);
    expect(isTransientFailure(await failureOf(read()))).toBe(true);
    await expectEventually(() => engine.processIds()).not.toContain(pid);
    await engine.scratch(client.organizationId, (connection) => connection.run('SELECT 1'));
  });
});

describe('the engine processes', () => {
  let engine: LakeEngine;
  beforeAll(() => {
    engine = newEngine({ processes: 2 });
  });

  test('give one organization two at most, and another one its own at once', async () => {
    const ends: (() => void)[] = [];
    const hold = (organizationId: string) =>
      engine.scratch(organizationId, () => new Promise<void>((resolve) => ends.push(resolve)));
    const held = [hold('greedy'), hold('greedy')];
    await expectEventually(() => ends.length).toBe(2);
    await expect(hold('greedy')).rejects.toMatchObject({ code: 'overloaded' });
    const other = hold('modest');
    await expectEventually(() => ends.length).toBe(3);
    for (const end of ends) end();
    await Promise.all([...held, other]);
  });
});

test('of the catalog of PostgreSQL an engine reads its own lake alone', async () => {
  const { lake } = await newTable();
  const other = await newTable();
  await newEngine().use(lake.writer, async (connection) => {
    const snapshots = (schema: string) =>
      connection.read(`SELECT count(*) FROM __ducklake_metadata_${lake.schema}.${schema}.ducklake_snapshot`);
    expect((await snapshots(lake.schema)).rows).not.toEqual([]);
    await expect(snapshots(other.lake.schema)).rejects.toThrow(/does not exist/);
  });
});
