import { expect, test } from 'vitest';
import { operationsAfter, voidOperation } from '../../../data/lake/ledger.ts';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();

test('every commit is told in order and without a gap, a whole commit at a time', async () => {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 't', kind: 'data', columns: [{ name: 'a' }] },
  });
  const table = made.body.data.tableId;
  await Promise.all(
    Array.from({ length: 20 }, (_, id) =>
      client.call('POST', `/v1/tables/${table}/rows`, { body: { rows: [{ s_id: id, a: id }] } }),
    ),
  );
  const { lake } = workspace.deps;
  const { schema } = await lake.catalog.get(client.organizationId);
  const seen: string[] = [];
  for (let last = 0; ; ) {
    const page = await operationsAfter(lake.catalogPool, schema, last, 2);
    if (page.length === 0) break;
    expect(page.every(({ version }) => version > last)).toBe(true);
    last = page.at(-1)!.version;
    seen.push(...page.map(({ id }) => id));
  }
  expect(seen).toHaveLength(21);
  expect(new Set(seen).size).toBe(21);
  const [created, ...appends] = await operationsAfter(lake.catalogPool, schema, 0, 100);
  expect(created).toMatchObject({ tableId: table, operation: 'create' });
  expect(appends.reduce((sum, { rowsAdded }) => sum + rowsAdded, 0)).toBe(20);
});

test('an operation that was given up never commits, and one that committed cannot be given up', async () => {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 't', kind: 'data', columns: [{ name: 'a' }] },
  });
  const { lake } = workspace.deps;
  const { schema } = await lake.catalog.get(client.organizationId);
  const id = `create:${made.body.data.tableId}`;
  expect(await voidOperation(lake.catalogPool, schema, id)).toMatchObject({ id, operation: 'create' });
  expect(await voidOperation(lake.catalogPool, schema, 'batch:never')).toBeUndefined();
  await expect(
    lake.catalogPool.query(
      `INSERT INTO "${schema}".workspace_operation
         (id, snapshot_id, table_id, operation, rows_added, rows_removed, committed_by)
       VALUES ('batch:never', 99, 't', 'append', 1, 0, 'x')`,
    ),
  ).rejects.toThrow(/duplicate key/);
  expect(await operationsAfter(lake.catalogPool, schema, 0, 100)).toHaveLength(1);
});
