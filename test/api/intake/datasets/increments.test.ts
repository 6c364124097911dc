import { expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { createRandom } from '../../../faults/random.ts';
import { attach, rowsOf, snapshotOf } from '../../../support/snapshots.ts';
import { useSourceDatabase } from '../../../support/source-database.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);
const source = useSourceDatabase();

async function succeeded(client: TestClient, at: string) {
  const run = await snapshotOf(client, at);
  expect(run.error).toBeNull();
  expect(run.status).toBe('succeeded');
  return run;
}

/** As if its last full copy were long ago. */
async function ageWhole(client: TestClient, at: string): Promise<void> {
  const id = at.split('/').at(-1)!;
  await inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const { replicated } = await db
      .selectFrom('datasets')
      .select('replicated')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await db
      .updateTable('datasets')
      .set({ replicated: JSON.stringify({ ...(replicated as object), wholeAt: '2026-01-01T00:00:00Z' }) })
      .where('id', '=', id)
      .execute();
  });
}

test('an incremental dataset copies what came since, and a little before; what is gone goes with the next whole copy', async () => {
  await source.run(
    'CREATE TABLE shop.visits (id bigint PRIMARY KEY, place text NOT NULL, at timestamptz NOT NULL)',
    "INSERT INTO shop.visits SELECT n, 'p' || n, timestamptz '2026-01-01' + n * interval '1 hour' FROM generate_series(1, 1000) AS n",
  );
  const { at, dataset } = await attach(client, await source.connect(client), 'shop.visits', {
    mode: 'incremental',
    cursor: 'at',
    key_columns: ['id'],
    guard: { max_shrink_ratio: 0.5 },
  });
  expect(dataset).toMatchObject({ mode: 'incremental', cursor: 'at', keyColumns: ['id'] });
  const table = `"${dataset.snapshotTableName}"`;
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 1000, cursor: '2026-02-11 16:00:00+00' });

  await source.run(
    'ALTER TABLE shop.visits ALTER place DROP NOT NULL',
    "INSERT INTO shop.visits VALUES (1001, 'new', '2026-03-01'), (1002, NULL, '2026-02-11 15:55')",
    "UPDATE shop.visits SET place = 'moved', at = '2026-03-02' WHERE id = 1",
    'DELETE FROM shop.visits WHERE id BETWEEN 2 AND 101',
    'ALTER TABLE shop.visits ADD COLUMN stars numeric; UPDATE shop.visits SET stars = 4.5 WHERE id = 1001',
  );
  const second = await succeeded(client, at);
  // Two new rows, the changed one, and the last one before.
  expect(second).toMatchObject({ rowsCopied: 4, rowsDeleted: 0, cursor: '2026-03-02 00:00:00+00' });
  expect(second.schemaChanges).toMatchObject([{ column: 'stars', change: 'added' }]);
  expect(
    await rowsOf(
      client,
      `SELECT count(*) AS rows, count(DISTINCT id) AS ids, count(*) FILTER (WHERE id BETWEEN 2 AND 101) AS gone,
         max(place) FILTER (WHERE id = 1) AS first, CAST(max(stars) AS DOUBLE) AS stars FROM ${table}`,
    ),
  ).toEqual([{ rows: 1002, ids: 1002, gone: 100, first: 'moved', stars: 4.5 }]);

  await ageWhole(client, at);
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 902, rowsDeleted: 100 });
  expect(await rowsOf(client, `SELECT count(*) AS rows FROM ${table}`)).toEqual([{ rows: 902 }]);
  // Nothing changed: the last row again, and the guard does not count the others as lost.
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 1 });
});

test('a column that the source no longer has is told once, also by a snapshot that copies no row or everything', async () => {
  await source.run(
    'CREATE TABLE shop.narrowed (id int PRIMARY KEY, n int, v text, w text)',
    "INSERT INTO shop.narrowed VALUES (1, 1, 'v1', 'w1'), (2, 20000, 'v2', 'w2')",
  );
  const { at, dataset } = await attach(client, await source.connect(client), 'shop.narrowed', {
    mode: 'incremental',
    cursor: 'n',
    key_columns: ['id'],
  });
  const changes = async (...statements: string[]) => {
    await source.run(...statements);
    return (await succeeded(client, at)).schemaChanges;
  };
  const added = (column: string) => ({ column, change: 'added', from: null, to: 'STRING' });
  const removed = (column: string) => ({ column, change: 'removed', from: 'STRING', to: null });
  expect(await changes()).toEqual([]);
  expect(
    await changes(
      'ALTER TABLE shop.narrowed DROP COLUMN w',
      "INSERT INTO shop.narrowed VALUES (3, 20001, 'v3')",
    ),
  ).toEqual([removed('w')]);
  expect(await changes()).toEqual([]);
  const table = `"${dataset.snapshotTableName}"`;
  expect(await rowsOf(client, `SELECT id, v, w FROM ${table} ORDER BY id`)).toEqual([
    { id: 1, v: 'v1', w: 'w1' },
    // Read again.
    { id: 2, v: 'v2', w: null },
    { id: 3, v: 'v3', w: null },
  ]);
  expect(await changes('ALTER TABLE shop.narrowed RENAME v TO vv')).toEqual([added('vv'), removed('v')]);
  expect(await changes("ALTER TABLE shop.narrowed ADD COLUMN w text DEFAULT 'again'")).toEqual([added('w')]);
  // Nothing is left to copy again.
  expect(await changes('ALTER TABLE shop.narrowed DROP COLUMN w', 'DELETE FROM shop.narrowed')).toEqual([
    removed('w'),
  ]);
  await ageWhole(client, at);
  // The full copy removes the columns from the table; that the source has lost them is told already.
  expect(await changes("INSERT INTO shop.narrowed VALUES (4, 30000, 'v4')")).toEqual([]);
  expect(await rowsOf(client, `SELECT * FROM ${table}`)).toEqual([{ id: 4, n: 30000, vv: 'v4' }]);
});

test.each([
  ['cursor: a number', 'n', 'integer', (n: number) => String(n)],
  ['cursor: a day', 'd', 'date', (n: number) => `date '2020-01-01' + ${n}`],
])('%s', async (_, column, type, value) => {
  const name = `shop.by_${column}`;
  await source.run(
    `CREATE TABLE ${name} (id int, part text, ${column} ${type}, PRIMARY KEY (id, part))`,
    `INSERT INTO ${name} VALUES (1, 'a', ${value(1)}), (1, 'b', ${value(20_000)}), (2, 'a', NULL)`,
  );
  const { at, dataset } = await attach(client, await source.connect(client), name, {
    mode: 'incremental',
    cursor: column,
    key_columns: ['id', 'part'],
  });
  await succeeded(client, at);
  await source.run(`INSERT INTO ${name} VALUES (3, 'a', ${value(20_001)})`);
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 2 });
  const rows = await rowsOf(client, `SELECT id, part FROM "${dataset.snapshotTableName}" ORDER BY ALL`);
  expect(rows).toHaveLength(4);
});

test('what does not fit is refused where it is written, or by the snapshot where only the source tells', async () => {
  const connection = await source.connect(client);
  await source.run('CREATE TABLE shop.odd (id int PRIMARY KEY, word text)');
  const base = { resource: 'shop.odd', name: 'odd', mode: 'incremental' };
  const refused = await client.call('POST', `${connection}/datasets`, { body: base });
  expect(refused.status).toBe(422);
  expect(refused.body.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([
    ['body', 'cursor'],
    ['body', 'key_columns'],
  ]);
  const messageFor = async (more: object) => {
    const { at } = await attach(client, connection, 'shop.odd', {
      mode: 'incremental',
      name: JSON.stringify(more),
      cursor: 'id',
      key_columns: ['id'],
      ...more,
    });
    const run = await snapshotOf(client, at);
    expect(run.status).toBe('failed');
    return run.error.message;
  };
  expect(await messageFor({ cursor: 'word' })).toMatch(/"word" has the type text, so it cannot be a cursor/);
  expect(await messageFor({ cursor: 'nothing' })).toMatch(/the column "nothing"/);
  expect(await messageFor({ key_columns: ['ID'] })).toMatch(/the column "ID"/);
});

test.each([1, 2])('whatever is written at the source, the table has it: seed %i', async (seed) => {
  const random = createRandom(seed, 'increments');
  const name = `shop.random_${seed}`;
  await source.run(`CREATE TABLE ${name} (id int PRIMARY KEY, v int, n bigint)`);
  const { at, dataset } = await attach(client, await source.connect(client), name, {
    mode: 'incremental',
    cursor: 'n',
    key_columns: ['id'],
  });
  const table = `"${dataset.snapshotTableName}"`;
  const live = new Map<number, { id: number; v: number; n: number }>();
  let next = 0;
  let deleted = new Set<number>();
  for (let round = 0; round < 8; round += 1) {
    const statements = Array.from({ length: random.int(0, 12) }, () => {
      const id = random.int(1, 40);
      if (live.has(id) && random.chance(0.25)) {
        live.delete(id);
        deleted.add(id);
        return `DELETE FROM ${name} WHERE id = ${id}`;
      }
      next += random.int(0, 3);
      const row = { id, v: random.int(0, 1e6), n: next };
      live.set(id, row);
      deleted.delete(id);
      return `INSERT INTO ${name} VALUES (${id}, ${row.v}, ${row.n}) ON CONFLICT (id) DO UPDATE SET v = excluded.v, n = excluded.n`;
    });
    if (statements.length > 0) await source.run(...statements);
    const isWhole = round > 0 && random.chance(0.3);
    if (isWhole) await ageWhole(client, at);
    await succeeded(client, at);
    if (isWhole || round === 0) deleted = new Set();
    const rows: { id: number }[] = await rowsOf(client, `SELECT id, v, n FROM ${table} ORDER BY id`);
    const expected = [...live.values()].toSorted((a, b) => a.id - b.id);
    // Between full copies it may still contain deleted rows, but nothing else.
    expect(rows.filter(({ id }) => !deleted.has(id))).toEqual(expected);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  }
});
