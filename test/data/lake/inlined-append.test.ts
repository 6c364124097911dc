import { beforeAll, expect, test } from 'vitest';
import { commitOperations } from '../../../data/lake/commit.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { flushTable } from '../../../domain/tables/lake-maintenance/flush.ts';
import { shaping } from '../../support/calculated.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

/**
 * Rows that the service commits to the catalog by itself are committed once more by the engine, to a table of
 * the same columns. Whatever the catalog then says of the two tables must be the same.
 */
const workspace = useWorkspace();
let client: TestClient;
let on: ReturnType<typeof shaping>;
let lake: Lake;

const columns = {
  'text of 100%': 'STRING',
  whole: 'INTEGER',
  double: 'DOUBLE',
  exact: 'DECIMAL(20,4)',
  "it's": 'BOOLEAN',
  day: 'DATE',
  time: 'TIME',
  at: 'TIMESTAMP',
  moment: 'TIMESTAMPTZ',
  any: 'JSON',
  unitPrice: 'DOUBLE',
  K: 'STRING',
};

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
  lake = await workspace.deps.lake.catalog.get(client.organizationId);
});

/** A table by the service's own commits, and its copy by the engine's. */
async function twoTables(name: string) {
  const [ours, theirs] = [`${name}_ours`, `${name}_theirs`];
  const ourId = await on.data(ours, columns);
  const theirId = await on.data(theirs, columns);
  let copied = 0;
  /** Copies what was appended since the last copy, in the same order. */
  const copy = () =>
    workspace.deps.lake.locks.hold(theirId, () =>
      commitOperations(workspace.deps.lake, lake, async (connection) => {
        const { rows } = await connection.read(`SELECT count(*) FROM ${ours}`);
        await connection.run(
          `INSERT INTO ${theirs} SELECT * FROM ${ours} WHERE rowid >= ${copied} ORDER BY rowid`,
        );
        const rowsAdded = Number(rows[0]![0]) - copied;
        copied += rowsAdded;
        const counts = { operation: 'append', rowsAdded, rowsRemoved: 0 } as const;
        return [
          { id: `copy:${theirId}:${copied}`, tableId: theirId, ...counts, runId: null, committedBy: 'test' },
        ];
      }),
    );
  return {
    ours,
    theirs,
    ourId,
    theirId,
    copy,
    /** Appends by the service; says whether an engine took part. */
    async append(rows: object[]): Promise<boolean> {
      const { engine } = workspace.deps.lake;
      const { use } = engine;
      let isUsed = false;
      engine.use = (...given) => {
        isUsed = true;
        return use(...given);
      };
      await on.append(ourId, rows).finally(() => {
        engine.use = use;
      });
      return isUsed;
    },
    flush: async () => {
      const { organizationId } = client;
      await flushTable(workspace.deps.lake, lake, { organizationId, id: ourId, name: ours });
      await flushTable(workspace.deps.lake, lake, { organizationId, id: theirId, name: theirs });
    },
    async catalog() {
      return [await catalogOf(ours), await catalogOf(theirs)] as const;
    },
    async same() {
      const [first, second] = await Promise.all(
        [ours, theirs].map((table) => on.rows(`SELECT * FROM ${table} ORDER BY s_id`)),
      );
      expect(first).toEqual(second);
    },
  };
}

async function catalogOf(name: string) {
  const pool = workspace.deps.lake.catalogPool;
  const schema = `"${lake.schema}"`;
  const all = async (sql: string, values: unknown[]) => (await pool.query(sql, values)).rows;
  const [{ table_id: id }] = await all(
    `SELECT table_id FROM ${schema}.ducklake_table WHERE table_name = $1 AND end_snapshot IS NULL`,
    [name],
  );
  const [{ table_name: part }] = await all(
    `SELECT table_name FROM ${schema}.ducklake_inlined_data_tables WHERE table_id = $1
     ORDER BY schema_version DESC LIMIT 1`,
    [id],
  );
  const [last] = await all(
    `SELECT s.snapshot_id, s.schema_version - b.schema_version AS schemas, s.next_file_id - b.next_file_id AS files,
            s.next_catalog_id - b.next_catalog_id AS entries, c.changes_made, c.author, c.commit_message
     FROM ${schema}.ducklake_snapshot s JOIN ${schema}.ducklake_snapshot b ON b.snapshot_id = s.snapshot_id - 1
     JOIN ${schema}.ducklake_snapshot_changes c ON c.snapshot_id = s.snapshot_id
     WHERE c.changes_made LIKE '%:' || $1::text ORDER BY 1 DESC LIMIT 1`,
    [id],
  );
  const { snapshot_id: snapshotId, changes_made: changes, ...snapshot } = last;
  return {
    snapshot: { ...snapshot, changes: (changes as string).split(':')[0] },
    stats: await all(
      `SELECT record_count, next_row_id FROM ${schema}.ducklake_table_stats WHERE table_id = $1`,
      [id],
    ),
    columns: await all(
      `SELECT column_id, contains_null, contains_nan, min_value, max_value, extra_stats
       FROM ${schema}.ducklake_table_column_stats WHERE table_id = $1 ORDER BY column_id`,
      [id],
    ),
    newest: (
      await all(`SELECT * FROM ${schema}."${part}" WHERE begin_snapshot = $1 ORDER BY row_id`, [snapshotId])
    ).map(({ begin_snapshot: _, ...row }) => row),
  };
}

const batches: object[][] = [
  [{ 'text of 100%': 'élan', whole: 5, double: 1.5, exact: '1.25', "it's": true, day: '2024-01-02' }],
  [{}, { time: '10:11:12.500', at: '2024-01-02T03:04:05.600', moment: '2024-01-02T03:04:05.5+02:00' }],
  [
    { any: { a: [1, { b: null }] }, double: -0.1, exact: '-99999.9999' },
    { any: 'text', "it's": false },
  ],
  [{ 'text of 100%': '', double: 0, at: '0001-01-01T00:00:00', day: '9999-12-31' }],
  [{ 'text of 100%': `'"\\ %s %1$I \n ${'x'.repeat(3_000)}`, double: 5, moment: '9999-12-31T23:59:59Z' }],
  [{ whole: -7, double: 1e300, time: '00:00' }],
  [{ double: 'NaN' }, { double: '-Infinity' }, { double: 1e-7, whole: 9007199254740991 }],
  [
    {
      'text of 100%': '😀',
      any: [],
      exact: 12,
      at: '2024-02-29',
      moment: '2024-02-29 12:00:00.000001-11:30',
    },
  ],
];

let nextId = 0;
const withIds = (rows: object[]) =>
  rows.map((row) => {
    nextId += 1;
    return { s_id: nextId, ...row };
  });

test('the catalog of each commit is the one that an engine leaves', async () => {
  const { append, copy, catalog, same } = await twoTables('plain');
  for (const [at, batch] of batches.entries()) {
    // The first rows of a table make a table in the catalog, which an engine does.
    expect(await append(withIds(batch)), `batch ${at}`).toBe(at === 0);
    await copy();
    const [ours, theirs] = await catalog();
    expect(ours, `batch ${at}`).toEqual(theirs);
    expect(ours.newest).toHaveLength(batch.length);
  }
  await same();
});

test('and so after a flush, with another column, and where rows were deleted', async () => {
  const { append, copy, catalog, same, flush, ourId, theirId, ours } = await twoTables('shaped');
  for (const batch of batches.slice(0, 3)) await append(withIds(batch));
  await copy();
  await flush();
  const check = async (rows: object[]) => {
    expect(await append(withIds(rows))).toBe(false);
    await copy();
    const [first, second] = await catalog();
    expect(first).toEqual(second);
  };
  await check(batches[4]!);
  await check(batches[6]!);
  for (const id of [ourId, theirId])
    await on.must('POST', `/v1/grid/tables/${id}/columns`, 201, { name: 'later', data_type: 'STRING' });
  await check([{ later: 'first' }, {}]);
  await check([{ later: 'and now without one', whole: 1 }, {}]);
  const before = await on.rows(`SELECT count(*) AS n, count(DISTINCT s_id) AS ids FROM ${ours}`);
  expect(before[0].n).toBe(before[0].ids);
  await same();
});

test('what only an engine can write is left to one, and an id that is taken is found in any order', async () => {
  const { append, flush, same, copy, ourId } = await twoTables('left');
  const refused = async (...ids: number[]) => {
    const answer = await client.call('POST', `/v1/tables/${ourId}/rows`, {
      body: { rows: ids.map((id) => ({ s_id: id })) },
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'duplicate_row_id' } });
    expect(answer.text).toContain(String(ids.at(-1)));
  };
  const from = 1_000_000;
  expect(await append([{ s_id: from }])).toBe(true);
  expect(await append([{ s_id: from + 9, 'text of 100%': 'a\\u0000b' }])).toBe(true);
  const many = Array.from({ length: 1_001 }, (_, at) => ({ s_id: from + 100 + at }));
  expect(await append(many)).toBe(true);
  await refused(from + 20_000, from + 9);
  expect(await append([{ s_id: from - 5 }, { s_id: from - 7 }])).toBe(false);
  expect(await append([{ s_id: from - 6 }])).toBe(false);
  await refused(from - 6);
  // Between ids of a file.
  expect(await append([{ s_id: from + 50 }])).toBe(false);
  await refused(from + 400);
  await copy();
  await flush();
  await refused(from - 6);
  await refused(from + 50);
  // The new file has ids on both sides of this one, so only its rows tell.
  expect(await append([{ s_id: from + 3 }])).toBe(true);
  expect(await append([{ s_id: from + 90_000 }])).toBe(false);
  await copy();
  await same();
});

test('columns may be called anything, also in letters that PostgreSQL would make small', async () => {
  const names = [
    'unitPrice',
    'K',
    'ORDER',
    'Größe',
    'a b',
    'x"y',
    'lower',
    '_Under',
    'SELECT',
    'n'.repeat(255),
  ];
  const id = await on.data('called', Object.fromEntries(names.map((name) => [name, 'INTEGER'])));
  const row = (number: number) => ({
    s_id: number,
    ...Object.fromEntries(names.map((name, at) => [name, number * 100 + at])),
  });
  const rows = `/v1/tables/${id}/rows`;
  for (const number of [1, 2, 3]) await on.append(id, [row(number)]);
  await client.call('PATCH', `/v1/grid/tables/${id}/columns/lower`, { body: { name: 'Upper' } });
  const { lower, ...others } = row(4) as Record<string, number>;
  for (const number of [4, 5]) await on.append(id, [{ ...others, s_id: number, Upper: lower }]);
  const { items } = (await client.call('GET', rows)).body as { items: Record<string, unknown>[] };
  expect(items.map((item) => [item['s_id'], item['unitPrice'], item['Upper'], item['x"y']])).toEqual(
    [1, 2, 3, 4, 5].map((number) => [number, ...[0, 6, 5].map((at) => Math.min(number, 4) * 100 + at)]),
  );
});

test('engines and the service commit to tables of one lake at once, and none of them starves', async () => {
  const ids = await Promise.all(['busy', 'calm'].map((name) => on.data(name, { n: 'INTEGER' })));
  let next = 0;
  let isOver = false;
  const row = () => {
    next += 1;
    return { s_id: next, n: next };
  };
  const appends = ids.flatMap((id) =>
    Array.from({ length: 4 }, async () => {
      let count = 0;
      for (; !isOver; count += 1) await on.append(id, [row()]);
      return count;
    }),
  );
  // More rows than are inlined, so an engine writes them.
  const large = await on.data('large', { n: 'INTEGER' });
  for (let at = 0; at < 10; at += 1) await on.append(large, Array.from({ length: 1_100 }, row));
  isOver = true;
  const counts = await Promise.all(appends);
  const sums = [counts.slice(0, 4), counts.slice(4)].map((list) =>
    list.reduce((sum, count) => sum + count, 0),
  );
  const [found] = await on.rows(`SELECT
    (SELECT count(*) FROM busy) AS busy, (SELECT count(*) FROM calm) AS calm, (SELECT count(*) FROM large) AS large`);
  expect(found).toEqual({ busy: sums[0], calm: sums[1], large: 11_000 });
  const { rows: versions } = await workspace.deps.lake.catalogPool.query(
    `SELECT count(*)::int AS n, count(DISTINCT id)::int AS ids, max(row_count)::int AS rows
     FROM "${lake.schema}".workspace_operation o JOIN "${lake.schema}".workspace_table t USING (table_id)
     WHERE table_id = $1 AND operation = 'append'`,
    [ids[0]],
  );
  expect(versions[0]).toEqual({ n: sums[0], ids: sums[0], rows: sums[0] });
});
