import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import type { TaskLimits } from '../../../../domain/tables/query/pool/pool.ts';
import type { StreamTask } from '../../../../domain/tables/query/stream/contract.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { openTestQueries, outcomeOf, type TestQueries } from './support.ts';

const endless = "SELECT i, repeat('x', 1000) AS t FROM range(1000000000) t(i)";

let queries: TestQueries;

beforeAll(async () => {
  queries = await openTestQueries([{ name: 't', id: 'tbl_t' }], { processes: 1 });
  await queries.lake.runAsWriter('CREATE TABLE lake.main.t AS SELECT i AS a FROM range(1500000) t(i)');
});

afterAll(() => queries?.close());

const stream = (sql: string, limits: Partial<TaskLimits>, more: Partial<StreamTask> = {}) =>
  queries.pool.perform(
    {
      ...{ kind: 'stream', location: queries.lake.location, relations: [{ name: 't', id: 'tbl_t' }], sql },
      ...{ atVersions: new Map(), limit: undefined, format: 'csv', ...more },
    },
    { timeoutMs: 120_000, ...limits },
  );

/** A consumer that holds each piece until it is let go. */
function holding() {
  const held: { bytes: Uint8Array; letGo: () => void; refuse: (error: Error) => void }[] = [];
  const onPiece = ({ bytes }: { bytes: Uint8Array }) =>
    new Promise<void>((resolve, reject) => {
      held.push({ bytes, letGo: resolve, refuse: reject });
    });
  return { held, onPiece };
}

async function cpuTicks(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

it('hands on all rows in their order, without a limit, and counts those that are whole', async () => {
  let text = '';
  let rows = 0;
  let whole = 0;
  const answer = await stream('SELECT a FROM t ORDER BY a', {
    onPiece: async ({ bytes, rowCount }) => {
      const piece = Buffer.from(bytes).toString();
      expect(piece.length).toBeLessThan(262_144);
      text += piece;
      rows += rowCount;
      whole += piece.split('\r\n').length - 1;
      // A cut may be between the two bytes that end a line.
      expect(rows).toBeLessThanOrEqual(whole);
    },
  });
  expect(answer).toMatchObject({
    ...{ rowCount: 1_500_000, truncated: false, scannedRelationIds: ['tbl_t'] },
    columns: [{ name: 'a', dataType: 'INTEGER' }],
  });
  expect(rows).toBe(1_500_000);
  expect(text).toBe(`a\r\n${Array.from({ length: 1_500_000 }, (_, i) => `${i}\r\n`).join('')}`);
});

it('binds parameters, and says whether there were more rows than the limit', async () => {
  let text = '';
  const parameters = [{ name: 'p1', source: '${least}', value: { number: '7' } }];
  const answer = await stream(
    'SELECT a FROM t WHERE a >= $p1 ORDER BY a',
    {
      onPiece: async ({ bytes }) => {
        text += Buffer.from(bytes).toString();
      },
    },
    { parameters, limit: 2, format: 'ndjson' },
  );
  expect(text).toBe('{"a":7}\n{"a":8}\n');
  expect(answer).toMatchObject({ rowCount: 2, truncated: true });
});

it('produces nothing while a piece is held; aborted, it frees its process', async () => {
  await queries.run('SELECT 1');
  const before = queries.pool.processIds();
  const controller = new AbortController();
  const { held, onPiece } = holding();
  const running = outcomeOf(stream(endless, { signal: controller.signal, onPiece }));
  await expectEventually(() => held.length).toBe(1);
  const [pid = 0] = before;
  let last = -1;
  await expectEventually(
    async () => {
      const before = last;
      last = await cpuTicks(pid);
      return last === before;
    },
    { everyMs: 1_000 },
  ).toBe(true);
  expect(held.length).toBe(1);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(800_000);
  controller.abort();
  expect(await running).toEqual({ code: 'query_failed', message: 'The query was cancelled.' });
  held[0]!.letGo();
  expect((await queries.run('SELECT 2 AS b')).rowsJson).toBe('[{"b":2}]');
  expect(queries.pool.processIds()).toEqual(expect.arrayContaining(before));
  expect(held.length).toBe(1);
});

it('is not run anew in another process once a piece was handed on', async () => {
  await queries.run('SELECT 1');
  const { held, onPiece } = holding();
  const running = outcomeOf(stream(endless, { onPiece }));
  await expectEventually(() => held.length).toBe(1);
  for (const pid of queries.pool.processIds()) process.kill(pid, 'SIGKILL');
  expect(await running).toEqual({
    code: 'query_failed',
    message: 'The process that ran this statement ended before the answer was complete.',
  });
  held[0]!.letGo();
  expect((await queries.run('SELECT 2 AS b')).rowsJson).toBe('[{"b":2}]');
  expect(held.length).toBe(1);
});

it('ends when its consumer refuses a piece', async () => {
  const running = outcomeOf(
    stream(endless, {
      onPiece: () => Promise.reject(new AppError('query_failed', 'No more.')),
    }),
  );
  expect(await running).toEqual({ code: 'query_failed', message: 'No more.' });
  expect((await queries.run('SELECT 2 AS b')).rowsJson).toBe('[{"b":2}]');
});

it('a consumer that refuses the last piece ends nothing but its own', async () => {
  const { held, onPiece } = holding();
  const running = outcomeOf(stream('SELECT 1 AS a', { onPiece }));
  await expectEventually(() => held.length).toBe(1);
  const next = queries.run('SELECT count(*) AS n FROM range(200000000) t(i) WHERE i % 5 = 3', {
    timeoutMs: 120_000,
  });
  held[0]!.refuse(new AppError('query_failed', 'No more.'));
  expect(await running).toEqual({ code: 'query_failed', message: 'No more.' });
  expect((await next).rowsJson).toBe('[{"n":40000000}]');
});
