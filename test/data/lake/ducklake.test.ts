import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import {
  type CatalogTables,
  missingOf,
  neededTables,
  neededTablesOf,
  writtenAgainst,
} from '../../../data/lake/ducklake/catalog.ts';
import * as files from '../../../data/lake/ducklake/files.ts';
import { indexStatements } from '../../../data/lake/ducklake/indexes.ts';
import * as inlined from '../../../data/lake/ducklake/inlined.ts';
import { appendInlined } from '../../../data/lake/ducklake/inlined-append.ts';
import * as values from '../../../data/lake/ducklake/inlined-values.ts';
import { flushInlined } from '../../../data/lake/ducklake/procedures.ts';
import * as snapshots from '../../../data/lake/ducklake/snapshots.ts';
import { type StoredTable, storedTables } from '../../../data/lake/ducklake/tables.ts';
import { triggerStatements } from '../../../data/lake/ducklake/triggers.ts';
import { ledgerStatements } from '../../../data/lake/ledger-tables.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const writtenFor = `written against DuckLake's catalog format ${writtenAgainst.format}, extension ${writtenAgainst.extension}`;

describe('the catalog that this DuckLake makes', () => {
  test('has the tables and columns that the service needs, in the format it was written against', async () => {
    const client = await workspace.organization();
    const { catalog, catalogPool: pool } = workspace.deps.lake;
    // Checked before use: the error names what is missing, instead of a consequence of it.
    const lake = await catalog.get(client.organizationId);
    const { rows: versions } = await pool.query<{ value: string }>(
      `SELECT value FROM "${lake.schema}".ducklake_metadata WHERE key = 'version'`,
    );
    expect(missingOf(neededTables, await tablesOf(pool, lake.schema)), writtenFor).toEqual([]);
    expect(versions[0]?.value, writtenFor).toBe(writtenAgainst.format);
    const tableId = await inlineRowsAndDeletions(client, lake);
    const { rows: parts } = await pool.query<{ version: number }>(
      `SELECT schema_version AS version FROM "${lake.schema}".ducklake_inlined_data_tables WHERE table_id = $1`,
      [tableId],
    );
    expect(parts).not.toEqual([]);
    const actual = await tablesOf(pool, lake.schema);
    for (const { version } of parts)
      expect(missingOf(neededTablesOf(tableId, version), actual), writtenFor).toEqual([]);
  });

  test('is missed a table or a column of by name', () => {
    const needed = { snapshots: { id: 'bigint', time: 'text', who: 'text' }, files: {} };
    expect(missingOf(needed, { ...needed, more: {} })).toEqual([]);
    expect(missingOf(needed, { snapshots: { id: 'bigint', time: 'date', by: 'text' } })).toEqual([
      'The column snapshots.time is date, not text.',
      'The column snapshots.who is missing.',
      'The table files is missing.',
    ]);
  });
});

test('a catalog of nothing but the needed tables and columns answers every query', async () => {
  const { catalogPool: pool } = workspace.deps.lake;
  const schema = `needed_${randomUUID().replaceAll('-', '')}`;
  await pool.query(`CREATE SCHEMA "${schema}"`);
  for (const [table, columns] of Object.entries({ ...neededTables, ...neededTablesOf(1, 1) })) {
    const definitions = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
    if (table.startsWith('ducklake_inlined_data_1')) definitions.push('s_id bigint');
    await pool.query(`CREATE TABLE "${schema}".${table} (${definitions.join(', ')})`);
  }
  await pool.query(
    `INSERT INTO "${schema}".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1)`,
  );
  await pool.query(`INSERT INTO "${schema}".ducklake_schema_versions VALUES (1, 1)`);
  await pool.query(`INSERT INTO "${schema}".ducklake_metadata VALUES ('version', '1.0')`);
  const statements = [ledgerStatements(schema, 'public'), triggerStatements(schema), indexStatements(schema)];
  for (const statement of statements.flat())
    await pool.query(statement.replace('FROM "public"', 'FROM PUBLIC'));
  await pool.query(`INSERT INTO "${schema}".ducklake_snapshot_changes VALUES (1, '{"operations": []}')`);

  expect(await storedTables(pool, schema)).toEqual([]);
  expect(await files.countWholeFilesBelow(pool, schema, 1, 1)).toBe(0);
  expect(await files.smallestDeletedShare(pool, schema, 1, { from: 0, atMostBytes: 1 })).toBeUndefined();
  expect(await files.anyFileMayHold(pool, schema, 1, 's_id', { min: 0n, max: 1n })).toBe(false);
  expect(await files.columnsWithoutNulls(pool, schema, 't', 1)).toEqual(new Set());
  expect(await inlined.inlinedTables(pool, schema, 1)).toEqual([{ hasRows: false, isOutlived: false }]);
  expect(await inlined.hasInlinedDeletions(pool, schema, 1)).toBe(false);
  expect(await inlined.isOfPresentSchema(pool, schema, 'ducklake_inlined_data_1_1')).toBe(false);
  await inlined.forgetOutlivedTables(pool, schema);
  await inlined.dropForgottenTables(pool, schema);
  const place = { schemaName: schema, tableId: 1, column: 's_id' };
  expect(await values.inlinedAmong(pool, place, [1n])).toEqual(new Set());
  expect(await values.anyInlinedBetween(pool, place, { min: 0n, max: 1n })).toBe(false);
  expect(await snapshots.snapshotsOlderThan(pool, schema, 1, { except: [], atMost: 1 })).toEqual([]);
  expect(await snapshots.isSnapshotKept(pool, schema, 1)).toBe(false);
  expect(await snapshots.newestSnapshotShowing(pool, schema, 't', 1)).toBeUndefined();
  await pool.query(`
    INSERT INTO "${schema}".ducklake_snapshot VALUES (1, now(), 1, 1, 1);
    INSERT INTO "${schema}".ducklake_column (table_id, column_id, column_order, column_name, column_type)
      VALUES (1, 1, 1, 's_id', 'int64');
    INSERT INTO "${schema}".ducklake_table_stats VALUES (1, 1, 1);
    INSERT INTO "${schema}".ducklake_table_column_stats VALUES (1, 1, false, NULL, '1', '3')`);
  const columns = [{ name: 's_id', type: 'int64', member: 'c0' }];
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'registered', kind: 'data', columns: [{ name: 'a' }] },
  });
  const { tableId } = made.body.data;
  const table = { tableId, access: { readers: null, writers: null }, lakeTableId: 1 };
  const rows = { ...table, columns, idColumn: 's_id', ids: [2n], text: '[{"c0":2}]' };
  const note = '{"tables":[],"operations":[]}';
  expect(await appendInlined(pool, schema, rows, note)).toEqual({ outcome: 'written', version: 2 });
});

test('a column has no nulls where the statistics of all files of a snapshot say so', async () => {
  const client = await workspace.organization();
  const { lake: deps } = workspace.deps;
  const lake = await deps.catalog.get(client.organizationId);
  const made = await client.call('POST', '/v1/grid/tables', {
    body: {
      name: 'Sparse',
      kind: 'data',
      columns: ['a', 'b'].map((name) => ({ name, data_type: 'INTEGER' })),
    },
  });
  const { tableId } = made.body.data;
  const append = async (row: object) => {
    expect((await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [row] } })).status).toBe(
      200,
    );
  };
  const flush = async () => {
    const [{ tableId: lakeTableId }] = (await storedTables(deps.catalogPool, lake.schema, ['sparse'])) as [
      StoredTable,
    ];
    await flushInlined(deps, lake, { lakeTableId, name: 'Sparse' });
    const { rows } = await deps.catalogPool.query<{ newest: number }>(
      `SELECT max(snapshot_id) AS newest FROM "${lake.schema}".ducklake_snapshot`,
    );
    return rows[0]!.newest;
  };
  const withoutNulls = async (snapshotId: number) => {
    const found = await files.columnsWithoutNulls(deps.catalogPool, lake.schema, 'sparse', snapshotId);
    return new Set([...found].filter((name) => name !== '_sm_created_at'));
  };

  const empty = await flush();
  expect(await withoutNulls(empty)).toEqual(new Set(['s_id', 'a', 'b']));
  await append({ s_id: 1, a: 1, b: null });
  expect(await withoutNulls(empty + 1)).toEqual(new Set());
  const first = await flush();
  expect(await withoutNulls(first)).toEqual(new Set(['s_id', 'a']));
  await append({ s_id: 2, a: null, b: 2 });
  const second = await flush();
  expect(await withoutNulls(second)).toEqual(new Set(['s_id']));
  expect(await withoutNulls(first)).toEqual(new Set(['s_id', 'a']));
  const { status } = await client.call('POST', `/v1/grid/tables/${tableId}/columns`, {
    body: { name: 'c', data_type: 'INTEGER' },
  });
  expect(status).toBe(201);
  await append({ s_id: 3, a: 3, b: 3, c: 3 });
  expect(await withoutNulls(await flush())).toEqual(new Set(['s_id']));
  expect(await files.columnsWithoutNulls(deps.catalogPool, lake.schema, 'missing', second)).toEqual(
    new Set(),
  );
});

/** A table with inlined rows, and inlined deletions of a file's rows; returns DuckLake's number of it. */
async function inlineRowsAndDeletions(client: TestClient, lake: Lake): Promise<number> {
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 't', kind: 'data', columns: [{ name: 'a', data_type: 'INTEGER' }] },
  });
  const rows = `/v1/tables/${made.body.data.tableId}/rows`;
  const { lake: deps } = workspace.deps;
  await client.call('POST', rows, { body: { rows: [{ s_id: 1, a: 1 }] } });
  const [{ tableId: lakeTableId }] = (await storedTables(deps.catalogPool, lake.schema, ['T'])) as [
    StoredTable,
  ];
  expect(await flushInlined(deps, lake, { lakeTableId, name: 't' })).toBe(1);
  await client.call('PUT', rows, { body: { rows: [{ s_id: 1, a: 2 }] } });
  return lakeTableId;
}

async function tablesOf(pool: LakeDeps['catalogPool'], schemaName: string): Promise<CatalogTables> {
  const { rows } = await pool.query<{ table_name: string; columns: Record<string, string> }>(
    `SELECT table_name, jsonb_object_agg(column_name, data_type) AS columns
     FROM information_schema.columns WHERE table_schema = $1 GROUP BY table_name`,
    [schemaName],
  );
  return Object.fromEntries(rows.map((row) => [row.table_name, row.columns]));
}
