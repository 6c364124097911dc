import { expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { allPages, insertPage } from '../../../../domain/intake/ingestion/staged-pages.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

test('all pages of a batch come in order, however many, and equal columns are there once', async () => {
  const client = await workspace.organization();
  const body = { name: 'orders', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] };
  const table = (await client.call('POST', '/v1/grid/tables', { body })).body.data.tableId as string;
  const url = `/v1/tables/${table}/ingestion-batches`;
  const batch = (await client.call('POST', url, { body: { mode: 'append' } })).body.data.id as string;
  const { organizationId } = client;
  const numbers = Array.from({ length: 2_001 }, (_, index) => index + 1);
  const columnsOf = (number: number) => [{ name: number === 2 ? 's_id' : 'amount', dataType: 'INTEGER' }];
  const pages = await inOrganization(workspace.deps.db, organizationId, async (db) => {
    for (const number of numbers.toReversed())
      await insertPage(db, {
        organization_id: organizationId,
        batch_id: batch,
        page_number: number,
        sha256: 'a'.repeat(64),
        size_bytes: 10,
        records: 1,
        quarantined: 0,
        columns: JSON.stringify(columnsOf(number)),
      });
    return allPages(db, organizationId, batch);
  });
  expect(pages.map((page) => page.page_number)).toEqual(numbers);
  expect(pages[1]!.columns).toEqual(columnsOf(2));
  expect(new Set(pages.map(({ columns }) => columns)).size).toBe(2);
});
