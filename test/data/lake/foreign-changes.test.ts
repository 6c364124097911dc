import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, expect, test } from 'vitest';
import { attachStatements, objectStoreSecret } from '../../../data/lake/attach.ts';
import { shaping } from '../../support/calculated.ts';
import { otherEngine } from '../../support/lake-credentials.ts';
import { testStores } from '../../support/stores.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

/** Whoever has the owner's access to the catalog can write to a lake, though nobody should. */
const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof shaping>;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
});

async function outside(): Promise<DuckDBConnection> {
  const { writer } = await workspace.deps.lake.catalog.get(client.organizationId);
  const engine = await otherEngine();
  const { objectStore } = testStores();
  await engine.run(objectStoreSecret('objects', objectStore, `s3://${objectStore.bucket}/`));
  for (const statement of attachStatements(writer, 'theirs', 'DATA_INLINING_ROW_LIMIT 100'))
    await engine.run(statement);
  await engine.run('USE theirs');
  return engine;
}

const newestVersion = async (id: string) =>
  (await client.call('GET', `/v1/tables/${id}/versions?limit=1`)).body.items[0];

test('each kind of change is a version of its own, with the rows that are there then', async () => {
  const id = await on.data('readings', { n: 'INTEGER' });
  await on.append(
    id,
    Array.from({ length: 3_000 }, (_, at) => ({ s_id: at, n: at })),
  );
  const engine = await outside();
  const insert = (from: number, to: number) =>
    engine.run(`INSERT INTO readings SELECT range, range, now() FROM range(${from}, ${to})`);
  const changes: [() => Promise<unknown>, object][] = [
    [() => insert(3_000, 3_010), { rowsAdded: 10, rowsRemoved: 0 }],
    [() => insert(4_000, 6_000), { rowsAdded: 2_000, rowsRemoved: 0 }],
    [
      () => engine.run('DELETE FROM readings WHERE s_id IN (1, 2, 3_001, 4_001)'),
      { rowsAdded: 0, rowsRemoved: 4 },
    ],
    [() => engine.run('UPDATE readings SET n = -n WHERE s_id < 500'), { rowsAdded: 0, rowsRemoved: 0 }],
    [() => engine.run('DELETE FROM readings WHERE s_id >= 4_500'), { rowsAdded: 0, rowsRemoved: 1_500 }],
    [
      () =>
        engine.run(
          'BEGIN; DELETE FROM readings WHERE s_id < 10; INSERT INTO readings VALUES (9_000, 1, now()); COMMIT',
        ),
      { rowsAdded: 0, rowsRemoved: 7 },
    ],
  ];
  for (const [change, counts] of changes) {
    await change();
    expect(await newestVersion(id)).toMatchObject({
      operation: 'foreign',
      committedBy: 'role:postgres',
      ...counts,
    });
    const [{ count }] = await on.rows('SELECT count(*) AS count FROM readings');
    const { tables } = (await client.call('GET', '/v1/tables')).body;
    expect(tables.find((one: { id: string }) => one.id === id).rowCount).toBe(count);
  }
  const { tableVersion } = await on.must('POST', `/v1/tables/${id}/rows`, 200, {
    rows: [{ s_id: 50_000, n: 1 }],
  });
  expect(await newestVersion(id)).toMatchObject({ version: tableVersion, operation: 'append', rowsAdded: 1 });
  const taken = await client.call('POST', `/v1/tables/${id}/rows`, {
    body: { rows: [{ s_id: 9_000, n: 1 }] },
  });
  expect(taken.body.code).toBe('duplicate_row_id');
});

test('what reads the table knows that it changed, and is not built from added rows alone', async () => {
  const id = await on.data('orders', { amount: 'INTEGER' });
  await on.append(
    id,
    Array.from({ length: 200 }, (_, at) => ({ s_id: at, amount: 1 })),
  );
  const total = await on.calc('total', 'SELECT sum(amount) AS total FROM orders');
  const built = async () => {
    await on.materialized(total);
    return (await on.rows('SELECT total FROM total'))[0].total;
  };
  expect(await built()).toBe(200);
  const engine = await outside();
  await engine.run('UPDATE orders SET amount = 5 WHERE s_id = 0');
  expect(await on.status(total)).toMatchObject({ status: 'stale', staleBecause: [id] });
  expect(await built()).toBe(204);
});

test('tables that the service does not know, and changes of no table, are nothing to it', async () => {
  const engine = await outside();
  await engine.run('CREATE TABLE unknown_here AS SELECT 1 AS a');
  await engine.run('INSERT INTO unknown_here VALUES (2)');
  const { tables } = (await client.call('GET', '/v1/tables')).body;
  expect(tables.map((one: { name: string }) => one.name)).not.toContain('unknown_here');
  expect(
    (await client.call('POST', '/v1/query-executions', { body: { sql: 'FROM unknown_here' } })).status,
  ).toBe(400);
});
