import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEventually } from '../../../support/eventually.ts';
import { openTestLake, type TestLake } from './lab.ts';
import { openTestQueries, outcomeOf, type TestQueries } from './support.ts';

/** Runs for minutes unless stopped. */
const endless = 'SELECT count(*) FROM range(1000000000000)';
/** Runs for a second or more. */
const slow = 'SELECT count(*) AS found FROM range(300000000) t(i) WHERE i % 5 = 3';
/** Constant-folded before it runs, in one native call that cannot be interrupted. */
const deaf = 'SELECT length(list_transform(range(40000000), lambda x: x)::VARCHAR)';

let queries: TestQueries;
let other: TestLake;

beforeAll(async () => {
  other = await openTestLake();
  queries = await openTestQueries([{ name: 't', id: 'tbl_t' }], { processes: 4, memoryLimitBytes: 2 ** 32 });
  await queries.lake.runAsWriter('CREATE TABLE lake.main.t AS SELECT 1 AS a');
});

afterAll(async () => {
  await queries?.close();
  await other?.close();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await expectEventually(condition).toBe(true);
}

describe('a query process', () => {
  it('that is killed in mid-query is replaced, and the query is answered', async () => {
    await queries.run('SELECT 1');
    const [warm = 0] = queries.pool.processIds();
    const victim = queries.run(slow, { timeoutMs: 120_000 });
    const bystander = outcomeOf(queries.run(endless, { timeoutMs: 500 }));
    expect((await bystander).code).toBe('query_timeout');
    process.kill(warm, 'SIGKILL');
    expect((await victim).rowsJson).toBe('[{"found":60000000}]');
    expect(queries.pool.processIds()).not.toContain(warm);
  });

  it('that is killed again and again fails its query, and no later one', async () => {
    await queries.run('SELECT 1');
    let isAnswered = false;
    const victim = outcomeOf(queries.run(endless, { timeoutMs: 120_000 })).finally(() => {
      isAnswered = true;
    });
    await until(() => {
      for (const pid of queries.pool.processIds()) process.kill(pid, 'SIGKILL');
      return isAnswered;
    });
    expect(await victim).toEqual({ code: 'query_failed', message: expect.stringContaining('simpler') });
    expect((await queries.run('SELECT a FROM t')).rowsJson).toBe('[{"a":1}]');
  });

  it('that ended while it was idle is not chosen again', async () => {
    await queries.run('SELECT 1');
    for (const pid of queries.pool.processIds()) process.kill(pid, 'SIGKILL');
    await until(() => queries.pool.processIds().length === 0);
    expect((await queries.run('SELECT 3 AS c')).rowsJson).toBe('[{"c":3}]');
  });

  it('is kept when its statement heard the interrupt', async () => {
    await queries.run('SELECT 1');
    const before = queries.pool.processIds();
    expect((await outcomeOf(queries.run(endless, { timeoutMs: 300 }))).code).toBe('query_timeout');
    expect((await queries.run('SELECT 2 AS b')).rowsJson).toBe('[{"b":2}]');
    expect(queries.pool.processIds()).toEqual(expect.arrayContaining(before));
  });

  it('is ended when its statement hears no interrupt, and the client has its answer in time', async () => {
    const startedAt = performance.now();
    expect((await outcomeOf(queries.run(deaf, { timeoutMs: 300 }))).code).toBe('query_timeout');
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect((await queries.run('SELECT 3 AS c')).rowsJson).toBe('[{"c":3}]');
  });

  it('has nothing of the environment', async () => {
    const { readFile } = await import('node:fs/promises');
    await queries.run('SELECT 1');
    let seen = 0;
    for (const pid of queries.pool.processIds()) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      // A process that is starting or ending shows none.
      if (environment === '') continue;
      seen += 1;
      const names = environment.split('\0').map((entry) => entry.split('=')[0]);
      expect(
        names.filter(
          (name) => name !== '' && !/^(NODE_CHANNEL|NODE_COMPILE|MALLOC|ICU_TIMEZONE)_/.test(name ?? ''),
        ),
      ).toEqual(['TZ', 'PGCONNECT_TIMEOUT', 'UV_THREADPOOL_SIZE']);
    }
    expect(seen).toBeGreaterThan(0);
  });
});

describe('a client that goes away', () => {
  it('interrupts its statement', async () => {
    const controller = new AbortController();
    const running = outcomeOf(queries.run(endless, { signal: controller.signal }));
    await queries.run('SELECT 1');
    controller.abort();
    expect(await running).toEqual({ code: 'query_failed', message: 'The query was cancelled.' });
  });

  it('again and again leaves the processes of others theirs', async () => {
    const gone = Array.from({ length: 12 }, (_, index) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 20 * index);
      return outcomeOf(queries.run(endless, { signal: controller.signal, timeoutMs: 20_000 }));
    });
    const theirs = queries.pool.run({
      location: other.location,
      relations: [],
      sql: 'SELECT 1 AS a',
      limit: 1,
      timeoutMs: 20_000,
      rowFormat: 'rows',
      atVersions: new Map(),
    });
    expect((await theirs).rowsJson).toBe('[{"a":1}]');
    await Promise.all(gone);
  });

  it('before the start runs nothing', async () => {
    const outcome = await outcomeOf(queries.run(endless, { signal: AbortSignal.abort() }));
    expect(outcome.code).toBe('query_failed');
  });
});

describe('an organization', () => {
  it('may always run two, is refused beyond its share, and leaves the others theirs', async () => {
    const all = Array.from({ length: 16 }, () => outcomeOf(queries.run(endless, { timeoutMs: 1_500 })));
    const refused = outcomeOf(queries.run(endless, { timeoutMs: 1_500 }));
    const others = [1, 2].map(() => queries.run('SELECT 1 AS a', { location: other.location }));
    expect((await Promise.all(others)).map((answer) => answer.rowsJson)).toEqual(['[{"a":1}]', '[{"a":1}]']);
    expect((await refused).code).toBe('queries_saturated');
    const codes = (await Promise.all(all)).map((outcome) => outcome.code);
    expect(codes.filter((code) => code === 'query_timeout')).toHaveLength(2);
    expect(codes.filter((code) => code === 'queries_saturated')).toHaveLength(14);
  });

  it('whose queue is full is refused before anything is looked up for its statement', async () => {
    const controllers = Array.from({ length: 120 }, () => new AbortController());
    const { organizationId } = queries.lake.location;
    const all = controllers.map(({ signal }) => outcomeOf(queries.run(endless, { signal })));
    expect(() => queries.pool.admit(organizationId)).toThrow('too many running queries');
    expect(() => queries.pool.admit(other.location.organizationId)).not.toThrow();
    for (const controller of controllers) controller.abort();
    await Promise.all(all);
    expect(() => queries.pool.admit(organizationId)).not.toThrow();
  });

  it('sees its own lake only, also in a process that had another one open', async () => {
    await other.runAsWriter('CREATE OR REPLACE TABLE lake.main.t AS SELECT 2 AS a');
    for (let round = 0; round < 6; round += 1) {
      const own = await queries.run('SELECT a FROM t');
      const theirs = await queries.run('SELECT a FROM t', { location: other.location });
      expect([own.rowsJson, theirs.rowsJson]).toEqual(['[{"a":1}]', '[{"a":2}]']);
    }
  });
});

describe('closing the pool', () => {
  it('fails what runs and waits, and leaves no process', async () => {
    const closing = await openTestQueries([], { processes: 2 });
    await closing.run('SELECT 1');
    const running = [1, 2, 3].map(() => outcomeOf(closing.run(endless)));
    await until(() => closing.pool.processIds().length === 2);
    const pids = closing.pool.processIds();
    await closing.close();
    const codes = (await Promise.all(running)).map((outcome) => outcome.code);
    expect(codes.filter((code) => code === 'answered')).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    expect((await outcomeOf(closing.pool.run(requestOf(closing)))).code).toBe('queries_saturated');
  });
});

function requestOf({ lake }: TestQueries): Parameters<TestQueries['pool']['run']>[0] {
  return {
    location: lake.location,
    relations: [],
    sql: 'SELECT 1',
    limit: 1,
    timeoutMs: 1000,
    rowFormat: 'rows',
    atVersions: new Map(),
  };
}
