import { expect, test } from 'vitest';
import { commitOperations } from '../../../../data/lake/commit.ts';
import { addDataFile } from '../../../../data/lake/ducklake/procedures.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import { mergeTable, rewriteTable } from '../../../../domain/tables/lake-maintenance/compact.ts';
import { doubledLakes } from '../../../../domain/tables/lake-maintenance/doubled-deletions.ts';
import { expireSnapshots } from '../../../../domain/tables/lake-maintenance/expire.ts';
import { removeOldFiles } from '../../../../domain/tables/lake-maintenance/files.ts';
import { flushTable } from '../../../../domain/tables/lake-maintenance/flush.ts';
import { useWorkspace } from '../../../support/workspace.ts';
import { whileHeld } from './held.ts';
import { count, type LabTable, newTable, query, range, useMaintainedLakes } from './lab.ts';

/**
 * Snapshots are numbered per lake and locks are per table, so maintenance of one table meets commits of
 * others. Each test holds one of DuckLake's procedures at its commit until another table has committed.
 */
const workspace = useWorkspace();
const maintained = useMaintainedLakes(workspace);
const columns = [{ name: 'amount', data_type: 'INTEGER' }];
const rows = (from: number, to: number, amount = 1) => range(from, to).map((id) => ({ s_id: id, amount }));

const flush = (table: LabTable) => flushTable(maintained.lake, table.lake, table);
const expire = ({ lake, organizationId }: LabTable) =>
  expireSnapshots({ db: workspace.deps.db, lake: maintained.lake }, lake, organizationId, 7);

/** A table whose rows are in a file, and a second table; `commitToOther` adds one row to that. */
async function twoTables(): Promise<{ table: LabTable; commitToOther: () => Promise<void> }> {
  const table = await newTable(workspace, columns);
  const made = await table.client.call('POST', '/v1/grid/tables', {
    body: { name: 'other', kind: 'data', columns },
  });
  await table.append(rows(0, 2_000));
  let next = 0;
  const commitToOther = async () => {
    const url = `/v1/tables/${made.body.data.tableId}/rows`;
    const answer = await table.client.call('POST', url, { body: { rows: rows(next, next + 1) } });
    expect(answer.status, answer.text).toBe(200);
    next += 1;
  };
  return { table, commitToOther };
}

/** No row is duplicated or missing, now and at each earlier version. */
async function expectWhole(table: LabTable, before: ReadonlyMap<number, string>, ids: number): Promise<void> {
  expect(await table.select('SELECT count(*) AS n, count(DISTINCT s_id) AS ids FROM readings')).toEqual([
    { n: ids, ids },
  ]);
  for (const [version, found] of before)
    expect(await table.readAt(version), `version ${version}`).toBe(found);
}

test('a flush that another commit outran shows no replaced row again, then and after more upserts', async () => {
  const { table, commitToOther } = await twoTables();
  await table.upsert(rows(0, 60, 2));
  const before = await table.remember();
  const work = () => flush(table);
  const flushed = await whileHeld(workspace, table, 'INSERT ON ducklake_snapshot', {
    work,
    meanwhile: commitToOther,
  });
  expect(flushed).toEqual({ rows: 60, deletionsRepaired: 0, leftBehind: false });
  await expectWhole(table, before, 2_000);
  for (const from of [60, 120]) {
    await table.upsert(rows(from, from + 60, 2));
    await expectWhole(table, before, 2_000);
  }
  expect(await flush(table)).toEqual({ rows: 120, deletionsRepaired: 0, leftBehind: false });
  await expectWhole(table, before, 2_000);
});

test('a flush of deletions alone does not either', async () => {
  const { table, commitToOther } = await twoTables();
  await deleteRows(table, 0, 50);
  const before = await table.remember();
  const work = () => flush(table);
  await whileHeld(workspace, table, 'INSERT ON ducklake_snapshot', { work, meanwhile: commitToOther });
  await expectWhole(table, before, 1_950);
  await deleteRows(table, 50, 60);
  await expectWhole(table, before, 1_940);
});

test('deletions that an older flush left in both places are found, repaired by the next one, and counted', async () => {
  const { table, commitToOther } = await twoTables();
  await table.upsert(rows(0, 60, 2));
  await query(
    workspace,
    `DROP TRIGGER remove_flushed_deletions ON "${table.lake.schema}".ducklake_snapshot_changes`,
  );
  const work = () => flush(table);
  await whileHeld(workspace, table, 'INSERT ON ducklake_snapshot', { work, meanwhile: commitToOther });
  // `rowid` has DuckLake read the table, which is what is wrong here.
  const wrong = 'SELECT count(*) > count(DISTINCT s_id) AS wrong FROM readings';
  expect(await table.select(`${wrong} WHERE rowid >= 0`)).toEqual([{ wrong: true }]);
  expect(await table.select(wrong)).toEqual([{ wrong: false }]);
  const nextPage = doubledLakes(maintained.lake);
  expect(await nextPage()).toContain(table.organizationId);
  expect(await nextPage()).toEqual([]);
  expect(await flush(table)).toMatchObject({ deletionsRepaired: 60 });
  await expectWhole(table, new Map(), 2_000);
  expect(await doubledLakes(maintained.lake)()).not.toContain(table.organizationId);
});

test('deletions that a large upsert wrote to a file beside earlier ones in the catalog are no doubles', async () => {
  const { table } = await twoTables();
  await table.upsert(rows(0, 60, 2));
  await flush(table);
  await table.upsert(rows(60, 120, 2));
  await table.upsert(rows(500, 1_900, 2));
  const before = await table.remember();
  expect(await flush(table)).toMatchObject({ deletionsRepaired: 0 });
  await expectWhole(table, before, 2_000);
});

test('merging files that another commit outran keeps every row and version', async () => {
  const { table, commitToOther } = await twoTables();
  for (const from of range(0, 10)) {
    await table.append(rows(3_000 + from, 3_001 + from));
    await flush(table);
  }
  const before = await table.remember();
  const work = () => mergeTable(maintained.lake, table.lake, table);
  const merged = await whileHeld(workspace, table, 'INSERT ON ducklake_snapshot', {
    work,
    meanwhile: commitToOther,
  });
  expect(merged.filesMerged).toBeGreaterThan(8);
  await expectWhole(table, before, 2_010);
});

test('writing mostly deleted files anew while another table commits keeps every row and version', async () => {
  const { table, commitToOther } = await twoTables();
  await table.upsert(rows(0, 1_500, 2));
  await table.upsert(rows(1_500, 1_550, 2));
  await flush(table);
  const before = await table.remember();
  const work = () => rewriteTable(maintained.lake, table.lake, table);
  const rewritten = await whileHeld(workspace, table, 'INSERT ON ducklake_snapshot', {
    work,
    meanwhile: commitToOther,
  });
  expect(rewritten.filesMerged).toBe(1);
  await expectWhole(table, before, 2_000);
});

test('a flush that writes its table anew keeps every row and version beside another commit', async () => {
  const { table, commitToOther } = await twoTables();
  await table.append(rows(5_000, 5_010));
  const body = { name: 'note', data_type: 'STRING' };
  await table.client.call('POST', `/v1/grid/tables/${table.id}/columns`, { body });
  const before = await table.remember();
  const work = () => flush(table);
  await whileHeld(workspace, table, 'INSERT ON ducklake_snapshot', { work, meanwhile: commitToOther });
  await expectWhole(table, before, 2_010);
});

test('files that a commit takes over have row numbers of their own beside another commit', async () => {
  const { table, commitToOther } = await twoTables();
  const url = `${table.lake.writer.dataPath}staged.parquet`;
  await maintained.lake.engine.use(table.lake.writer, (connection) =>
    connection.run(
      `COPY (SELECT s_id + 10000 AS s_id, * EXCLUDE (s_id) FROM readings) TO '${url}' (FORMAT parquet)`,
    ),
  );
  const before = await table.remember();
  const work = () =>
    maintained.lake.locks.hold(table.id, () =>
      commitOperations(maintained.lake, table.lake, async (connection) => {
        await addDataFile(connection, table.lake.schema, table.name, url);
        return [operation(table, 'append', 2_000)];
      }),
    );
  await whileHeld(workspace, table, 'INSERT ON ducklake_snapshot', { work, meanwhile: commitToOther });
  await expectWhole(table, before, 4_000);
  expect(await table.select('SELECT count(DISTINCT rowid) AS numbers FROM readings')).toEqual([
    { numbers: 4_000 },
  ]);
});

test('upserts of few and of many rows that another commit outran replace each row once', async () => {
  const { table, commitToOther } = await twoTables();
  await table.upsert(rows(0, 60, 2));
  for (const [from, to] of [
    [30, 90],
    [90, 1_400],
  ] as const) {
    const before = await table.remember();
    const work = () => table.upsert(rows(from, to, 3));
    await whileHeld(workspace, table, 'INSERT ON ducklake_snapshot', { work, meanwhile: commitToOther });
    await expectWhole(table, before, 2_000);
  }
  expect(await table.select('SELECT count(*) AS n FROM readings WHERE amount = 3')).toEqual([{ n: 1_370 }]);
});

test('expiry and the removal of files let other commits through, and take nothing from them', async () => {
  const { table, commitToOther } = await twoTables();
  await table.upsert(rows(0, 1_500, 2));
  await flush(table);
  await rewriteTable(maintained.lake, table.lake, table);
  await query(
    workspace,
    `UPDATE "${table.lake.schema}".ducklake_snapshot SET snapshot_time = snapshot_time - interval '8 days'`,
  );
  const meanwhile = async () => {
    await commitToOther();
    await table.upsert(rows(0, 10, 3));
    await flush(table);
  };
  const work = () => expire(table);
  const expired = await whileHeld(workspace, table, 'DELETE ON ducklake_snapshot', { work, meanwhile });
  expect(expired.expired).toBeGreaterThan(2);
  await query(
    workspace,
    `UPDATE "${table.lake.schema}".ducklake_files_scheduled_for_deletion
     SET schedule_start = schedule_start - interval '8 days'`,
  );
  const remove = () => removeOldFiles(maintained.lake, table.lake);
  const removed = await whileHeld(workspace, table, 'DELETE ON ducklake_files_scheduled_for_deletion', {
    work: remove,
    meanwhile,
  });
  expect(removed).toBeGreaterThan(0);
  await expectWhole(table, new Map(), 2_000);
  expect(await count(workspace, table.lake, 'ducklake_snapshot')).toBeGreaterThan(0);
});

async function deleteRows(table: LabTable, from: number, to: number): Promise<void> {
  const { lake } = maintained;
  await lake.locks.hold(table.id, () =>
    commitOperations(lake, table.lake, async (connection) => {
      await connection.run(`DELETE FROM ${identifier(table.name)} WHERE s_id >= ${from} AND s_id < ${to}`);
      return [operation(table, 'delete', 0, to - from)];
    }),
  );
}

function operation(table: LabTable, kind: 'append' | 'delete', rowsAdded: number, rowsRemoved = 0) {
  return {
    id: `test:${table.id}:${kind}:${rowsAdded}:${rowsRemoved}`,
    tableId: table.id,
    operation: kind,
    rowsAdded,
    rowsRemoved,
    runId: null,
    committedBy: 'test',
  };
}
