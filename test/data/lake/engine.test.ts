import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
let reader: ChildProcess | undefined;
afterEach(() => {
  // It has a broken engine, which may not end in order.
  reader?.kill('SIGKILL');
});

test('an engine that can do no more says so once; after any other failure it goes on and says nothing', async () => {
  const client = await workspace.organization();
  const body = { name: 'readings', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] };
  const table = (await client.call('POST', '/v1/grid/tables', { body })).body.data.tableId as string;
  await client.call('POST', `/v1/tables/${table}/rows`, { body: { rows: [{ s_id: 1, amount: 2 }] } });
  reader = fork(fileURLToPath(new URL('./reader-process.ts', import.meta.url)), [client.organizationId], {
    env: { ...process.env, DATABASE_URL: workspace.databaseUrl },
  });
  const messages = on(reader, 'message');
  const next = async () => ((await messages.next()).value as [string])[0];
  const run = (sql: string) => {
    reader!.send(sql);
    return next();
  };
  expect(await next()).toBe('ready');
  expect(await run('SELECT * FROM readings')).toBe('done');
  expect(await run('SELECT * FROM nothing')).toBe('failed');
  expect(await run("SELECT error('INTERNAL Error: a user’s')")).toBe('failed');
  expect(await run('SELECT * FROM readings')).toBe('done');

  // The engine remembers the catalog's table of these rows, and does not survive its absence.
  const { catalogPool, catalog } = workspace.deps.lake;
  const { schema } = await catalog.get(client.organizationId);
  const { rows } = await catalogPool.query<{ table_name: string }>(
    `SELECT table_name FROM "${schema}".ducklake_inlined_data_tables`,
  );
  await catalogPool.query(`DROP TABLE "${schema}"."${rows[0]!.table_name}"`);
  expect(await run('SELECT * FROM readings')).toBe('broken');
  expect(await next()).toBe('failed');
  expect(await run('SELECT 1')).toBe('failed');
}, 30_000);
