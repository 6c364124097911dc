import { beforeAll, expect, test } from 'vitest';
import { commitOperations } from '../../../data/lake/commit.ts';
import { appendTogether, type InlinedEntry } from '../../../data/lake/ducklake/appends-together.ts';
import type { LakeOperation } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { createdAtColumn } from '../../../domain/tables/tables/column-name.ts';
import { findPhysicalTable, lakeType } from '../../../domain/tables/tables/columns.ts';
import { shaping } from '../../support/calculated.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

/** Rows of several tables that the service commits at once, compared with the same commit by the engine. */
const workspace = useWorkspace();
let client: TestClient;
let on: ReturnType<typeof shaping>;
let lake: Lake;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
  lake = await workspace.deps.lake.catalog.get(client.organizationId);
});

interface Made {
  id: string;
  name: string;
}

/** A table that has had rows, so that the catalog can take more. */
async function table(name: string): Promise<Made> {
  const id = await on.data(name, { n: 'INTEGER', t: 'STRING', d: 'DOUBLE' });
  await on.append(id, [{ s_id: 1, n: 1 }]);
  return { id, name };
}

const operation = (tableId: string, id: string, rowsAdded: number): LakeOperation => ({
  ...{ id, tableId, operation: 'append', rowsAdded, rowsRemoved: 0, runId: null, committedBy: 'test' },
});

async function entry({ id, name }: Made, rows: Record<string, unknown>[], key = `${id}:${rows[0]!['s_id']}`) {
  const physical = await findPhysicalTable(workspace.deps.lake.catalogPool, lake.schema, name);
  const positions = new Map(
    physical!.columns
      .filter((column) => column.name !== createdAtColumn)
      .map((column, at) => [column.name, `c${at}`]),
  );
  const text = JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([field, value]) => [positions.get(field)!, value])),
    ),
  );
  const own: InlinedEntry = {
    rows: {
      ...{ tableId: id, access: { readers: null, writers: null }, lakeTableId: physical!.lakeTableId },
      columns: physical!.columns.map((column) => ({
        name: column.name,
        type: lakeType(column.dataType),
        member: positions.get(column.name),
      })),
      ...{ idColumn: 's_id', ids: rows.map((row) => BigInt(row['s_id'] as number)), text },
    },
    operations: [operation(id, key, rows.length)],
  };
  return own;
}

const together = (...entries: InlinedEntry[]) =>
  workspace.deps.lake.locks.atOnce((session) => appendTogether(session, lake.schema, entries));

const read = async (sql: string, values: unknown[] = []) =>
  (await workspace.deps.lake.catalogPool.query(sql.replaceAll('lake.', `"${lake.schema}".`), values)).rows;

/** What the catalog says of tables, with the last snapshot that changed them. */
async function catalogOf(tables: readonly Made[]) {
  const ids: number[] = [];
  for (const { name } of tables)
    ids.push(
      (await read('SELECT table_id::int AS id FROM lake.ducklake_table WHERE table_name = $1', [name]))[0].id,
    );
  const [snapshot] = await read(
    `SELECT s.snapshot_id, s.schema_version - b.schema_version AS schemas, s.next_file_id - b.next_file_id AS files,
       s.next_catalog_id - b.next_catalog_id AS entries, c.changes_made, c.author, c.commit_message
     FROM lake.ducklake_snapshot s JOIN lake.ducklake_snapshot b ON b.snapshot_id = s.snapshot_id - 1
     JOIN lake.ducklake_snapshot_changes c ON c.snapshot_id = s.snapshot_id
     WHERE c.changes_made LIKE '%:' || $1::text || '%' ORDER BY 1 DESC LIMIT 1`,
    [ids[0]],
  );
  const { snapshot_id: version, changes_made: changes, ...steps } = snapshot;
  const perTable = [];
  for (const id of ids) {
    const [{ table_name: part }] = await read(
      'SELECT table_name FROM lake.ducklake_inlined_data_tables WHERE table_id = $1',
      [id],
    );
    perTable.push({
      stats: await read(
        'SELECT record_count, next_row_id FROM lake.ducklake_table_stats WHERE table_id = $1',
        [id],
      ),
      columns: await read(
        `SELECT column_id, contains_null, contains_nan, min_value, max_value FROM lake.ducklake_table_column_stats
         WHERE table_id = $1 AND column_id < 5 ORDER BY column_id`,
        [id],
      ),
      rows: await read(
        `SELECT row_id, s_id, n, t, d FROM lake."${part}" WHERE begin_snapshot = $1 ORDER BY row_id`,
        [version],
      ),
    });
  }
  const named = ids.reduce((text, id, index) => text.replace(`:${id}`, `:<${index}>`), changes as string);
  return { steps, changes: named, perTable };
}

test('what is written at once is in the catalog as an engine would leave it', async () => {
  const ours = [await table('ours_a'), await table('ours_b')];
  const theirs = [await table('theirs_a'), await table('theirs_b')];
  const rows = [[{ s_id: 5, n: 7, t: 'é', d: 1.5 }, { s_id: 4 }], [{ s_id: 9, t: 'only text' }]];
  const outcomes = await together(await entry(ours[0]!, rows[0]!), await entry(ours[1]!, rows[1]!));
  const version = (outcomes[0] as { version: number }).version;
  expect(outcomes).toEqual([
    { outcome: 'written', version },
    { outcome: 'written', version },
  ]);
  const { lake: deps } = workspace.deps;
  await deps.locks.hold(theirs[0]!.id, () =>
    deps.locks.hold(theirs[1]!.id, () =>
      commitOperations(deps, lake, async (connection) => {
        await connection.run(
          "INSERT INTO theirs_a VALUES (5, 7, 'é', 1.5, now()), (4, NULL, NULL, NULL, now())",
        );
        await connection.run("INSERT INTO theirs_b VALUES (9, NULL, 'only text', NULL, now())");
        return theirs.map(({ id }, index) => operation(id, `theirs:${id}`, rows[index]!.length));
      }),
    ),
  );
  const [own, other] = [await catalogOf(ours), await catalogOf(theirs)];
  // An engine has no statistics of files to renew.
  expect({ ...own, steps: { ...own.steps, files: other.steps.files } }).toEqual(other);
  const ledger = await read(
    'SELECT id, table_id, operation, rows_added::int FROM lake.workspace_operation WHERE snapshot_id = $1 ORDER BY id',
    [version],
  );
  expect(ledger).toEqual(
    ours
      .map(({ id }, index) => ({
        id: `${id}:${rows[index]![0]!.s_id}`,
        table_id: id,
        operation: 'append',
        rows_added: rows[index]!.length,
      }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  expect(await on.rows('SELECT count(*) AS n FROM ours_a')).toEqual([{ n: 3 }]);
});

test('one table is refused, busy or not as described, and the others are written', async () => {
  const [good, taken, changed, bad, held] = [
    await table('r_good'),
    await table('r_taken'),
    await table('r_changed'),
    await table('r_bad'),
    await table('r_held'),
  ];
  const entries = [
    await entry(taken, [{ s_id: 1 }]),
    await entry(changed, [{ s_id: 2 }]),
    await entry(bad, [{ s_id: 2, n: 'no number' }]),
    await entry(held, [{ s_id: 2 }]),
    await entry(good, [{ s_id: 2, n: 5 }]),
  ];
  const change = await client.call('POST', `/v1/grid/tables/${changed.id}/columns`, {
    body: { name: 'more', data_type: 'DATE' },
  });
  expect(change.status).toBe(201);
  const outcomes = await workspace.deps.lake.locks.hold(held.id, () => together(...entries));
  expect(outcomes).toEqual([
    { outcome: 'taken', taken: new Set([1n]) },
    { outcome: 'unfit' },
    { outcome: 'unfit' },
    'alone',
    { outcome: 'written', version: expect.any(Number) },
  ]);
  for (const [{ name }, n] of [
    [taken, 1],
    [changed, 1],
    [bad, 1],
    [held, 1],
    [good, 2],
  ] as const)
    expect(await on.rows(`SELECT count(*) AS n FROM ${name}`), name).toEqual([{ n }]);
});

test('an operation of the ledger, or rows that no table takes, write nothing at all', async () => {
  const [one, two] = [await table('n_one'), await table('n_two')];
  const first = await entry(one, [{ s_id: 2 }], 'the same');
  expect(await together(first)).toMatchObject([{ outcome: 'written' }]);
  const again = await entry(one, [{ s_id: 3 }], 'the same');
  expect(await together(again, await entry(two, [{ s_id: 2 }]))).toEqual(['alone', 'alone']);
  const bad = async (made: Made) => entry(made, [{ s_id: 7, n: 'x' }]);
  const before = await read('SELECT max(snapshot_id) FROM lake.ducklake_snapshot');
  expect(await together(await bad(one), await bad(two))).toEqual(['alone', 'alone']);
  expect(await read('SELECT max(snapshot_id) FROM lake.ducklake_snapshot')).toEqual(before);
  expect(
    await on.rows('SELECT (SELECT count(*) FROM n_one) AS a, (SELECT count(*) FROM n_two) AS b'),
  ).toEqual([{ a: 2, b: 1 }]);
});

test('appends of many tables at once are each written once, also with repeats and refusals among them', async () => {
  const tables = await Promise.all(Array.from({ length: 6 }, (_, index) => table(`many_${index}`)));
  const answers = await Promise.all(
    Array.from({ length: 90 }, async (_, index) => {
      const { id } = tables[index % 6]!;
      const rows = [{ s_id: 100 + Math.floor(index / 6), n: index % 7 === 0 ? 'no number' : index }];
      const answer = await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows } });
      return { index, status: answer.status, version: answer.body.data?.tableVersion };
    }),
  );
  for (const { index, status } of answers) expect(status).toBe(index % 7 === 0 ? 422 : 200);
  for (const [at, { name }] of tables.entries()) {
    const expected = answers.filter(({ index, status }) => index % 6 === at && status === 200).length + 1;
    expect(await on.rows(`SELECT count(*) AS n, count(DISTINCT s_id) AS d FROM ${name}`)).toEqual([
      { n: expected, d: expected },
    ]);
  }
  // Versions of different tables are shared, which is the point.
  const versions = answers.flatMap(({ version }) => version ?? []);
  expect(new Set(versions).size).toBeLessThan(versions.length);
});
