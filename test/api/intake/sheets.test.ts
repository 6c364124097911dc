import { expect, test } from 'vitest';
import { exporting } from '../../support/exports.ts';
import { useWorker } from '../../support/worker.ts';
import { useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

test('a workbook is previewed and imported from the sheet, and the rows, that are asked for', async () => {
  const client = await workspace.organization();
  const on = exporting(client);
  const project = await on.project();
  const exported = await on.exported({
    ...{ sql: "SELECT * FROM (VALUES ('Porto', 7), ('Lagos', 9)) AS t(city, km)", format: 'xlsx' },
    ...{ project_id: project, path: 'book.xlsx' },
  });
  const preview = async (xlsx: object) =>
    client.call('POST', `/v1/assets/${exported.fileId}/previews`, { body: { xlsx } });
  expect((await preview({ sheet: 'sheet1' })).body.data).toMatchObject({
    ...{
      sheets: ['Sheet1'],
      rows: [
        ['Porto', 7],
        ['Lagos', 9],
      ],
    },
  });
  expect((await preview({ header_row: 0, first_data_row: 3 })).body.data.rows).toEqual([['Lagos', 9]]);
  const lost = await preview({ sheet: 'Totals' });
  expect([lost.status, lost.body.detail[0].loc]).toEqual([422, ['body', 'xlsx', 'sheet']]);
  const path = `/v1/projects/${project}/files/${exported.fileId}/imports`;
  const start = async (body: object) => {
    const { id } = await on.must('POST', path, 202, body);
    return on.importEnded(id);
  };
  expect(await start({ table_name: 'lost', xlsx: { sheet: 'Totals' } })).toMatchObject({
    ...{ status: 'failed', error: { code: 'missing_sheet' } },
  });
  const xlsx = { sheet: 'SHEET1', header_row: 1, first_data_row: 3 };
  expect(await start({ table_name: 'found', xlsx })).toMatchObject({ status: 'succeeded' });
  expect(await on.rows('SELECT city, km FROM found')).toEqual([{ city: 'Lagos', km: 9 }]);
});
