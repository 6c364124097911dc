import { beforeAll, expect, test } from 'vitest';
import { commitNewTable, commitOperations } from '../../../data/lake/commit.ts';
import type { NewLakeTable } from '../../../data/lake/ducklake/new-table.ts';
import type { LakeOperation } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { type LakeColumn, lakeType } from '../../../domain/tables/tables/columns.ts';
import { createTableStatements } from '../../../domain/tables/tables/retype.ts';
import { shaping } from '../../support/calculated.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

/**
 * Tables that the service makes in the catalog by itself are made once more by the engine, with the same
 * columns. Every row of the catalog about the two must be the same, column by column.
 */
const workspace = useWorkspace();
let client: TestClient;
let on: ReturnType<typeof shaping>;
let lake: Lake;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
  lake = await workspace.deps.lake.catalog.get(client.organizationId);
});

const column = (name: string, dataType: string, more: Partial<LakeColumn> = {}): LakeColumn => ({
  ...{ name, dataType, nullable: true, typing: 'declared' },
  ...more,
});

const shapes: Record<string, LakeColumn[]> = {
  every_type: [
    column('s_id', 'INTEGER', { nullable: false }),
    ...['BOOLEAN', 'INTEGER', 'DOUBLE', 'STRING', 'DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMPTZ', 'JSON'].map(
      (type) => column(`c_${type.toLowerCase()}`, type),
    ),
    column('small', 'DECIMAL(4,0)'),
    column('large', 'DECIMAL(38,10)', { nullable: false }),
  ],
  Names_1: [
    column('s_id', 'INTEGER'),
    column('Größe "x" %1$I', 'STRING'),
    column("it's", 'JSON'),
    column('select', 'DATE'),
  ],
  without_types: [
    column('open', 'STRING', { typing: 'undetermined' }),
    column('known', 'INTEGER'),
    column('guessed', 'DOUBLE', { typing: 'inferred' }),
  ],
};

const creation = (id: string): LakeOperation => ({
  ...{
    id: `create:${id}`,
    tableId: id,
    operation: 'create',
    rowsAdded: 0,
    rowsRemoved: 0,
    runId: null,
    committedBy: 'test',
  },
});

const asNew = (name: string, columns: readonly LakeColumn[]): NewLakeTable => ({
  name,
  columns: columns.map(({ name: own, dataType, nullable, typing }) => ({
    ...{ name: own, nullable, type: lakeType(dataType) },
    comment: typing === 'declared' ? undefined : typing,
  })),
});

let made = 0;
function byService(name: string, columns: readonly LakeColumn[]): Promise<number | undefined> {
  made += 1;
  const id = `tbl_ours_${made}`;
  const { lake: deps } = workspace.deps;
  return deps.locks.hold(id, () => commitNewTable(deps, lake, creation(id), asNew(name, columns)));
}

function byEngine(name: string, columns: readonly LakeColumn[]): Promise<number> {
  made += 1;
  const id = `tbl_theirs_${made}`;
  const { lake: deps } = workspace.deps;
  return deps.locks.hold(id, () =>
    commitOperations(deps, lake, async (connection) => {
      for (const statement of createTableStatements(name, columns)) await connection.run(statement);
      return [creation(id)];
    }),
  );
}

/** Every row of the catalog that a version began, by table; numbers that count up are relative. */
async function writtenIn(version: number): Promise<Record<string, unknown[]>> {
  const pool = workspace.deps.lake.catalogPool;
  const { rows: tables } = await pool.query<{ name: string; columns: string[] }>(
    `SELECT table_name AS name, array_agg(column_name::text) AS columns FROM information_schema.columns
     WHERE table_schema = $1 AND table_name LIKE 'ducklake\\_%' GROUP BY 1 ORDER BY 1`,
    [lake.schema],
  );
  const written: Record<string, unknown[]> = {};
  for (const { name, columns } of tables) {
    const key = ['begin_snapshot', 'snapshot_id'].find((one) => columns.includes(one));
    if (key === undefined) continue;
    const { rows } = await pool.query(
      `SELECT * FROM "${lake.schema}"."${name}" WHERE ${key} = $1 ORDER BY to_jsonb("${name}")::text`,
      [version],
    );
    if (rows.length > 0) written[name] = rows;
  }
  return written;
}

/** The number of rows in each table of the catalog, of which there are as many as before. */
async function rowCounts(): Promise<Record<string, number>> {
  const pool = workspace.deps.lake.catalogPool;
  const { rows: tables } = await pool.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1',
    [lake.schema],
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    // Each table has one of these, which is compared by itself.
    if (/^ducklake_inlined_data_\d/.test(name)) {
      counts['inlined'] = (counts['inlined'] ?? 0) + 1;
      continue;
    }
    const { rows } = await pool.query(`SELECT count(*)::int AS n FROM "${lake.schema}"."${name}"`);
    counts[name] = rows[0].n;
  }
  return counts;
}

/** PostgreSQL's own description of the table that a lake's table keeps its inlined rows in. */
async function inlinedOf(name: string): Promise<unknown> {
  const pool = workspace.deps.lake.catalogPool;
  const schema = `"${lake.schema}"`;
  const { rows: parts } = await pool.query(
    `SELECT i.* FROM ${schema}.ducklake_inlined_data_tables i JOIN ${schema}.ducklake_table t USING (table_id)
     JOIN ${schema}.ducklake_schema_versions v USING (table_id, schema_version) WHERE t.table_name = $1`,
    [name],
  );
  expect(parts.map(({ table_name: own }) => own)).toEqual([
    `ducklake_inlined_data_${parts[0].table_id}_${parts[0].schema_version}`,
  ]);
  const at = [`${schema}."${parts[0].table_name}"`];
  const columns = await pool.query(
    `SELECT attname, attnum, format_type(atttypid, atttypmod), attnotnull, atthasdef, attcollation, attstorage
     FROM pg_attribute WHERE attrelid = $1::regclass ORDER BY attnum`,
    at,
  );
  const table = await pool.query(
    `SELECT relowner, relacl, relkind, relpersistence, reloptions, relhasindex, relhastriggers, relreplident,
       (SELECT count(*) FROM pg_constraint WHERE conrelid = c.oid) AS constraints
     FROM pg_class c WHERE oid = $1::regclass`,
    at,
  );
  return { columns: columns.rows, table: table.rows };
}

/** What one commit wrote, with its own names and numbers replaced by what they stand for. */
async function traceOf(version: number, name: string): Promise<unknown> {
  const before = await writtenIn(version - 1);
  const after = await writtenIn(version);
  const [snapshot] = after['ducklake_snapshot'] as Record<string, number>[];
  const [previous] = before['ducklake_snapshot'] as Record<string, number>[];
  const [table] = after['ducklake_table'] as Record<string, unknown>[];
  expect(table!['table_uuid']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const steps = Object.fromEntries(
    Object.keys(snapshot!)
      .filter((key) => key !== 'snapshot_time')
      .map((key) => [key, Number(snapshot![key]) - Number(previous![key])]),
  );
  const { ducklake_snapshot: _, ...rows } = after;
  const plain = JSON.parse(JSON.stringify(rows), (key, value) => {
    if (key === 'table_uuid' || key === 'commit_extra_info') return typeof value;
    if (key === 'begin_snapshot' || key === 'snapshot_id') return Number(value) - version;
    if (key === 'schema_version') return Number(value) - Number(snapshot!['schema_version']);
    if (key === 'table_id') return Number(value) - Number(table!['table_id']);
    const isNamed = ['table_name', 'path', 'changes_made'].includes(key) && typeof value === 'string';
    return isNamed
      ? value.replace(name, '<name>').replace(`altered_table:${table!['table_id']}`, 'altered_table:<id>')
      : value;
  });
  return { steps, tableId: Number(table!['table_id']) - Number(previous!['next_catalog_id']), plain };
}

test.each(Object.keys(shapes))('%s is in the catalog as the engine would leave it', async (shape) => {
  const [ours, theirs] = [`${shape}_ours`, `${shape}_theirs`];
  const counts = [await rowCounts()];
  const first = await byService(ours, shapes[shape]!);
  counts.push(await rowCounts());
  const second = await byEngine(theirs, shapes[shape]!);
  counts.push(await rowCounts());
  expect(first).toBeTypeOf('number');
  const added = (step: number) =>
    Object.fromEntries(
      Object.entries(counts[step]!).map(([name, n]) => [name, n - (counts[step - 1]![name] ?? 0)]),
    );
  expect(added(1)).toEqual(added(2));
  expect(await traceOf(first!, ours)).toEqual(await traceOf(second, theirs));
  expect(await inlinedOf(ours)).toEqual(await inlinedOf(theirs));
  // After an engine has made one, the service makes the next.
  const third = await byService(`${shape}_again`, shapes[shape]!);
  expect(third).toBe(second + 1);
});

test('a name that is taken, in any case, or that only an engine can use, makes nothing', async () => {
  const columns = shapes['without_types']!;
  await byService('Taken', columns);
  const before = await newestVersion();
  expect(await byService('taken', columns)).toBeUndefined();
  expect(await byService('with space', columns)).toBeUndefined();
  expect(await byService('twice', [column('a', 'STRING'), column('A', 'STRING')])).toBeUndefined();
  for (const name of ['Upper', 'Row_ID', 'ö'.repeat(32)])
    expect(await byService('names', [column(name, 'STRING')])).toBeUndefined();
  expect(await byService('bytes', [column('a', 'BLOB')])).toBeUndefined();
  expect(await newestVersion()).toBe(before);
  await expect(byEngine('TAKEN', columns)).rejects.toThrow();
});

async function newestVersion(): Promise<number> {
  const { rows } = await workspace.deps.lake.catalogPool.query(
    `SELECT max(snapshot_id)::int AS version FROM "${lake.schema}".ducklake_snapshot`,
  );
  return rows[0].version;
}

test('an operation that is in the ledger makes no second table', async () => {
  const { lake: deps } = workspace.deps;
  const operation = creation('tbl_once');
  const make = (name: string) =>
    deps.locks.hold('tbl_once', () =>
      commitNewTable(deps, lake, operation, asNew(name, shapes['without_types']!)),
    );
  const version = await make('once');
  // The ledger decides: the operation was committed as that version.
  expect(await make('once_more')).toBe(version);
  expect(await newestVersion()).toBe(version);
});

test('tables made at the same time by both ways are all there, and usable in every way', async () => {
  const before = await newestVersion();
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0
        ? byEngine(`both_${index}`, shapes['Names_1']!)
        : byService(`both_${index}`, shapes['Names_1']!),
    ),
  );
  expect(await newestVersion()).toBe(before + 12);
  const { rows } = await workspace.deps.lake.engine.use(lake.writer, (connection) =>
    connection.read(`SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'both\\_%' ESCAPE '\\'`),
  );
  expect(Number(rows[0]![0])).toBe(12);
});

test('a table made without an engine takes rows, changes of its columns, another name, and an end', async () => {
  const { engine } = workspace.deps.lake;
  const { use } = engine;
  let uses = 0;
  engine.use = (...given) => {
    uses += 1;
    return use(...given);
  };
  const id = await on.data('whole_life', { n: 'INTEGER', t: 'STRING' }).finally(() => {
    engine.use = use;
  });
  expect(uses).toBe(0);
  expect(await on.rows('SELECT count(*) AS n FROM whole_life')).toEqual([{ n: 0 }]);
  await on.append(id, [{ s_id: 1, n: 5, t: 'a' }]);
  await on.append(id, [{ s_id: 2, n: 6 }]);
  const change = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const answer = await client.call(
      method,
      `/v1/grid/tables/${id}${path}`,
      body === undefined ? {} : { body },
    );
    expect(answer.status, answer.text).toBeLessThan(300);
  };
  await change('POST', '/columns', { name: 'added', data_type: 'DATE' });
  await change('PATCH', '/columns/n', { data_type: 'DOUBLE' });
  await on.append(id, [{ s_id: 3, n: 1.5, added: '2026-01-01' }]);
  expect(await on.rows('SELECT s_id AS id, n, t, added FROM whole_life ORDER BY s_id')).toMatchObject([
    { id: 1, n: 5, t: 'a', added: null },
    { id: 2, n: 6, t: null, added: null },
    { id: 3, n: 1.5, t: null, added: '2026-01-01' },
  ]);
  expect((await client.call('DELETE', `/v1/tables/${id}?confirm=true`)).status).toBeLessThan(300);
  const again = await on.data('whole_life', { other: 'STRING' });
  await on.append(again, [{ s_id: 1, other: 'x' }]);
  expect(await on.rows('SELECT s_id AS id, other FROM whole_life')).toEqual([{ id: 1, other: 'x' }]);
});
