import { expect, test } from 'vitest';
import { mergeTable, rewriteTable } from '../../../../domain/tables/lake-maintenance/compact.ts';
import { flushTable } from '../../../../domain/tables/lake-maintenance/flush.ts';
import { fullLakes } from '../../../../domain/tables/lake-maintenance/full.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { useWorkspace } from '../../../support/workspace.ts';
import { count, type LabTable, liveFiles, newTable, query, range, useMaintainedLakes } from './lab.ts';

const workspace = useWorkspace();
const maintained = useMaintainedLakes(workspace);
const columns = [
  { name: 'city', data_type: 'STRING' },
  { name: 'amount', data_type: 'DECIMAL(38,0)' },
];
const row = (id: number, city = `city ${id}`) => ({ s_id: id, city, amount: id });

const flush = (table: LabTable) => flushTable(maintained.lake, table.lake, table);
const merge = (table: LabTable) => mergeTable(maintained.lake, table.lake, table);
const rewrite = (table: LabTable) => rewriteTable(maintained.lake, table.lake, table);

async function inlinedRows(table: LabTable): Promise<number> {
  const { rows } = await query<{ table_name: string }>(
    workspace,
    `SELECT table_name FROM "${table.lake.schema}".ducklake_inlined_data_tables`,
  );
  let total = 0;
  for (const { table_name: name } of rows) total += await count(workspace, table.lake, `"${name}"`);
  return total;
}

test('a flush moves rows from the catalog to Parquet; rows and every version read as before', async () => {
  const table = await newTable(workspace, columns);
  for (const id of range(0, 5)) await table.append([row(id)]);
  await table.upsert([row(2, 'changed'), row(7)]);
  const before = await table.remember();
  expect(before.size).toBe(7);
  expect(await inlinedRows(table)).toBeGreaterThan(0);

  expect((await flush(table))?.rows).toBeGreaterThan(0);
  expect(await inlinedRows(table)).toBe(0);
  expect(await liveFiles(workspace, table)).toBeGreaterThan(0);
  expect(await table.remember()).toEqual(before);
  expect(await table.select('SELECT count(*) AS n, sum(amount) AS total FROM readings')).toEqual([
    { n: 6, total: 17 },
  ]);
  // A second flush finds nothing, and s_ids in the file are still taken.
  expect(await flush(table)).toBeUndefined();
  const again = await table.client.call('POST', `/v1/tables/${table.id}/rows`, { body: { rows: [row(7)] } });
  expect(again.body.code).toBe('duplicate_row_id');
});

test('a flush after a change of columns keeps the versions before it', async () => {
  const table = await newTable(workspace, columns);
  await table.append([row(1)]);
  await addNote(table);
  await table.append([{ ...row(2), note: 'new' }]);
  const before = await table.remember();
  expect(await flush(table)).toEqual({ rows: 2, deletionsRepaired: 0, leftBehind: false });
  expect(await table.remember()).toEqual(before);
});

test('merging leaves fewer files, and older versions still read', async () => {
  const table = await newTable(workspace, columns);
  for (const id of range(0, 10)) {
    await table.append([row(id)]);
    await flush(table);
  }
  expect(await liveFiles(workspace, table)).toBe(10);
  const before = await table.remember();
  const merged = await merge(table);
  expect(merged).toEqual({ filesMerged: 10, filesWritten: 1 });
  expect(await liveFiles(workspace, table)).toBe(1);
  expect(await table.remember()).toEqual(before);
  expect(await merge(table)).toEqual({ filesMerged: 0, filesWritten: 0 });
});

test('a few small files are left alone', async () => {
  const table = await newTable(workspace, columns);
  for (const id of range(0, 3)) {
    await table.append([row(id)]);
    await flush(table);
  }
  expect(await merge(table)).toEqual({ filesMerged: 0, filesWritten: 0 });
});

test('a file of mostly deleted rows is written anew; versions before, between and after still read', async () => {
  const table = await newTable(workspace, columns);
  await table.append(range(0, 100).map((id) => row(id)));
  await flush(table);
  for (const from of range(0, 8))
    await table.upsert(range(from * 10, from * 10 + 10).map((id) => row(id, 'x')));
  await flush(table);
  await table.upsert([row(95, 'kept in the catalog when the rewrite begins')]);
  const before = await table.remember();
  expect(await rewrite(table)).toEqual({ filesMerged: 1, filesWritten: 1 });
  expect(await table.remember()).toEqual(before);
  // Rows deleted, moved and merged after the rewrite must not count as deletions of the retired file.
  for (const id of [96, 97, 3]) {
    await table.upsert([row(id, 'later')]);
    await flush(table);
  }
  await rewrite(table);
  await merge(table);
  for (const [version, rows] of before) expect(await table.readAt(version), `version ${version}`).toBe(rows);
});

test('a table whose every row was replaced is tended without an error', async () => {
  const table = await newTable(workspace, columns);
  await table.append(range(0, 20).map((id) => row(id)));
  await flush(table);
  await table.upsert(range(0, 20).map((id) => row(id, 'second')));
  await flush(table);
  const before = await table.remember();
  await rewrite(table);
  await merge(table);
  expect(await table.remember()).toEqual(before);
});

test('a table that was deleted meanwhile is passed over', async () => {
  const table = await newTable(workspace, columns);
  await table.append([row(1)]);
  await table.client.call('DELETE', `/v1/tables/${table.id}?confirm=true`);
  expect(await flush(table)).toBeUndefined();
  expect(await merge(table)).toEqual({ filesMerged: 0, filesWritten: 0 });
});

test('rows of an outlived schema are flushed while somebody reads them, and nobody has to wait', async () => {
  const table = await newTable(workspace, columns);
  await table.append([row(1)]);
  await addNote(table);
  await table.append([row(2)]);
  const before = await table.remember();
  await workspace.deps.lake.engine.use(table.lake.writer, async (connection) => {
    const read = async () => (await connection.read('SELECT s_id FROM readings')).rows.length;
    await connection.run('BEGIN TRANSACTION READ ONLY');
    expect(await read()).toBe(2);
    expect(await flush(table)).toEqual({ rows: 2, deletionsRepaired: 0, leftBehind: false });
    expect(await read()).toBe(2);
    await connection.run('ROLLBACK');
  });
  expect(await table.remember()).toEqual(before);
  expect(await table.select('SELECT count(*) AS n, count(note) AS notes FROM readings')).toEqual([
    { n: 2, notes: 0 },
  ]);
});

test('rows that a flush finds after an empty outlived schema do not make it drop anything', async () => {
  const table = await newTable(workspace, columns);
  await table.append([row(1)]);
  await flush(table);
  await addNote(table);
  await table.append([{ ...row(2), note: 'new' }]);
  const before = await table.remember();
  const tablesBefore = await catalogTables(table);
  expect(await flush(table)).toEqual({ rows: 1, deletionsRepaired: 0, leftBehind: false });
  expect(await catalogTables(table)).toEqual(expect.arrayContaining(tablesBefore));
  expect(await table.remember()).toEqual(before);
});

test('a table that a flush writes anew loses none of its row tables, however quickly its columns changed', async () => {
  const table = await newTable(workspace, columns);
  await table.append([row(1)]);
  await addNote(table);
  await addNote(table, 'second_note');
  const before = await table.remember();
  const tablesBefore = await catalogTables(table);
  expect(await flush(table)).toEqual({ rows: 1, deletionsRepaired: 0, leftBehind: false });
  expect(await catalogTables(table)).toEqual(expect.arrayContaining(tablesBefore));
  expect(await table.remember()).toEqual(before);
});

test('a flush of one table drops nothing of another', async () => {
  const table = await newTable(workspace, columns);
  await table.append([row(1)]);
  await flush(table);
  const body = { name: 'others', kind: 'data', columns };
  const other = await table.client.call('POST', '/v1/grid/tables', { body });
  const id = other.body.data.tableId as string;
  await table.client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [row(1)] } });
  await addNote(table);
  const before = await table.remember();
  const tablesBefore = await catalogTables(table);
  expect(await flushTable(maintained.lake, table.lake, { ...table, id, name: 'others' })).toEqual({
    rows: 1,
    deletionsRepaired: 0,
    leftBehind: false,
  });
  expect(await catalogTables(table)).toEqual(expect.arrayContaining(tablesBefore));
  expect(await table.remember()).toEqual(before);
});

test('a lake with many rows in the catalog is told of until they are flushed', async () => {
  const table = await newTable(workspace, columns);
  await table.append(range(0, 60).map((id) => row(id)));
  let next = 60;
  // PostgreSQL counts a session's rows at its next transaction, at least a second later.
  const isFullAfter = async (work: () => Promise<unknown>) => {
    await table.append([row(next)]);
    next += 1;
    await work();
    return (await fullLakes(maintained.lake, 50)).includes(table.organizationId);
  };
  const wait = { everyMs: 200 };
  await expectEventually(() => isFullAfter(async () => undefined), wait).toBe(true);
  await expectEventually(() => isFullAfter(() => flush(table)), wait).toBe(false);
});

async function addNote(table: LabTable, name = 'note'): Promise<void> {
  const added = await table.client.call('POST', `/v1/grid/tables/${table.id}/columns`, {
    body: { name, data_type: 'STRING' },
  });
  expect(added.status, added.text).toBeLessThan(300);
}

async function catalogTables({ lake }: LabTable): Promise<string[]> {
  const { rows } = await query<{ tablename: string }>(
    workspace,
    `SELECT tablename FROM pg_tables WHERE schemaname = '${lake.schema}'`,
  );
  return rows.map((found) => found.tablename);
}
