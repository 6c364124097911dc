import pg from 'pg';
import { expect, test } from 'vitest';
import { physicalTables } from '../../../../domain/tables/tables/columns.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

test('a session keeps no prepared statement for each organization it has served', async () => {
  const session = new pg.Pool({ connectionString: workspace.databaseUrl, max: 1 });
  for (let index = 0; index < 3; index += 1) {
    const client = await workspace.organization();
    const body = { name: 'readings', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] };
    await client.call('POST', '/v1/grid/tables', { body });
    const { schema } = await workspace.deps.lake.catalog.get(client.organizationId);
    expect([...(await physicalTables(session, schema)).keys()]).toEqual(['readings']);
    expect((await physicalTables(session, schema, ['READINGS'])).size).toBe(1);
  }
  const { rows } = await session.query('SELECT name FROM pg_prepared_statements');
  expect(rows).toEqual([]);
  await session.end();
});
