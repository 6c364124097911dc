import { expect, test } from 'vitest';
import type { LakeDeps } from '../../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../../data/lake/engine/contract.ts';
import { isBrokenEngine } from '../../../../data/lake/engine/failure.ts';
import { type ReadPage, readRows } from '../../../../domain/tables/rows/read.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

/** The lake's own engine, whose first uses fail. */
function failing(errors: Error[]): { lake: LakeDeps; uses(): number } {
  const { lake } = workspace.deps;
  let uses = 0;
  const engine = {
    ...lake.engine,
    use: <T>(location: never, work: (connection: EngineConnection) => Promise<T>): Promise<T> => {
      const error = errors[uses];
      uses += 1;
      return error === undefined ? lake.engine.use(location, work) : Promise.reject(error);
    },
  };
  return { lake: { ...lake, engine }, uses: () => uses };
}

async function newTable(): Promise<{ organizationId: string; page: ReadPage }> {
  const client = await workspace.organization();
  const body = { name: 'readings', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] };
  const made = await client.call('POST', '/v1/grid/tables', { body });
  const written = await client.call('POST', `/v1/tables/${made.body.data.tableId}/rows`, {
    body: { rows: [{ s_id: 1, amount: 2 }] },
  });
  const { organizationId } = client;
  const page = {
    table: 'readings',
    hasRowIds: true,
    snapshotId: written.body.data.tableVersion as number,
    hasOwnRowid: false,
    content: 'readings',
    after: undefined,
    offset: undefined,
    limit: 10,
  };
  return { organizationId, page };
}

test('a read that fails in passing is tried once more', async () => {
  const { organizationId, page } = await newTable();
  const lake = await workspace.deps.lake.catalog.get(organizationId);
  const away = () => new Error('IO Error: Unable to connect to Postgres');
  const once = failing([away()]);
  const { rowTexts } = await readRows(once.lake, lake, page);
  expect(rowTexts).toEqual([expect.stringContaining('"amount":2')]);
  expect(once.uses()).toBe(2);
  const twice = failing([away(), away(), away()]);
  await expect(readRows(twice.lake, lake, page)).rejects.toThrow('IO Error');
  expect(twice.uses()).toBe(2);
});

test('a read that can never succeed is neither tried again nor told as passing', async () => {
  const { organizationId, page } = await newTable();
  const lake = await workspace.deps.lake.catalog.get(organizationId);
  const tried = failing([]);
  await expect(readRows(tried.lake, lake, { ...page, table: 'no such table' })).rejects.toThrow(
    'Catalog Error',
  );
  expect(tried.uses()).toBe(1);
});

test('rows that come to more than one answer may hold are told so, and fewer of them are read', async () => {
  const { organizationId, page } = await newTable();
  const lake = await workspace.deps.lake.catalog.get(organizationId);
  const snapshotId = await workspace.deps.lake.engine.use(lake.writer, async (connection) => {
    await connection.run(
      `CREATE TABLE texts AS SELECT range AS s_id, repeat('x', 400000) AS text FROM range(1100)`,
    );
    const { rows } = await connection.read('SELECT max(snapshot_id) FROM snapshots()');
    return Number(rows[0]![0]);
  });
  const read = (limit: number) =>
    readRows(workspace.deps.lake, lake, { ...page, table: 'texts', snapshotId, limit });
  await expect(read(200)).rejects.toMatchObject({ code: 'query_too_large' });
  expect((await read(50)).rowTexts).toHaveLength(50);
});

test.each([
  ['FATAL Error: Failed: database has been invalidated', true],
  [
    'Invalid Input Error: Attempting to execute an unsuccessful query\nError: INTERNAL Error: Attempted',
    true,
  ],
  ["Conversion Error: Could not convert string 'INTERNAL Error' to INT32", false],
])('%j means a broken engine: %s', (message, expected) => {
  expect(isBrokenEngine(new Error(message))).toBe(expected);
});

test('a time comes back with every digit it was sent with, by listing and by query', async () => {
  const client = await workspace.organization();
  const columns = [
    { name: 'instant', data_type: 'TIMESTAMPTZ' },
    { name: 'moment', data_type: 'TIMESTAMP' },
  ];
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'moments', kind: 'data', columns },
  });
  const rowsUrl = `/v1/tables/${made.body.data.tableId}/rows`;
  const row = { instant: '2026-01-02T03:04:05.123456+01:00', moment: '2026-01-02T03:04:05.123456' };
  await client.call('POST', rowsUrl, { body: { rows: [{ s_id: 1, ...row }] } });
  const expected = { instant: '2026-01-02T02:04:05.123456Z', moment: '2026-01-02T03:04:05.123456' };
  const listed = await client.call('GET', rowsUrl);
  expect(listed.body.items[0]).toMatchObject(expected);
  const body = { sql: 'SELECT instant, moment FROM moments', row_format: 'rows' };
  const answer = await client.call('POST', '/v1/query-executions', { body });
  expect(answer.body.data.rows).toEqual([expected]);
});

test('a row is found by its number however unevenly the ids lie', async () => {
  const { organizationId, page } = await newTable();
  const lake = await workspace.deps.lake.catalog.get(organizationId);
  const snapshotId = await workspace.deps.lake.engine.use(lake.writer, async (connection) => {
    await connection.run(
      `CREATE TABLE uneven AS SELECT unnest([-9223372036854775808, 9223372036854775807]) AS s_id
       UNION ALL SELECT 7 * range FROM range(120000)`,
    );
    const { rows } = await connection.read('SELECT max(snapshot_id) FROM snapshots()');
    return Number(rows[0]![0]);
  });
  const read = async (offset: number, change: Partial<ReadPage> = {}) => {
    const { rowTexts, total } = await readRows(workspace.deps.lake, lake, {
      ...{ ...page, table: 'uneven', content: 'uneven', snapshotId, offset, limit: 2 },
      ...change,
    });
    return [...rowTexts, total];
  };
  const row = (id: number | string) => `{"s_id":${id}}`;
  expect(await read(0)).toEqual([row('"-9223372036854775808"'), row(0), 120_002]);
  expect(await read(1)).toEqual([row(0), row(7), 120_002]);
  expect(await read(60_001)).toEqual([row(420_000), row(420_007), 120_002]);
  expect(await read(120_000)).toEqual([row(839_993), row('"9223372036854775807"'), 120_002]);
  expect(await read(120_002)).toEqual([120_002]);
  // In the lake's own order, as tables are read that have no ids.
  const unordered = { hasRowIds: false, content: 'uneven rows' };
  expect((await read(2, unordered)).slice(0, 1)).toEqual([row(0)]);
  expect(await read(119_999, unordered)).toEqual([row(839_979), row(839_986), 120_002]);
  expect((await read(2, { ...unordered, hasOwnRowid: true })).at(-1)).toBe(120_002);
});
