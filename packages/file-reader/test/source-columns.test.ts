import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Lab, mapping, openLab } from './lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const csv = 'a,b,b\n1,2,3\n';

test('the names that columns have in a Parquet file are kept beside those of the table', async () => {
  const source = await lab.upload(await lab.parquet('SELECT 1 AS " a ", 2 AS "_load_date"'), 'parquet');
  const { staged } = await lab.importFile(source, { includeLoadDate: true });
  expect(staged.sourceColumns).toEqual([
    { source: ' a ', target: 'a' },
    { source: '_load_date', target: '_load_date_2' },
  ]);
});

test('of a file with mappings only the mapped columns are kept, without those that it lacks', async () => {
  const columnMappings = [
    mapping('a', 'INTEGER', { targetColumnName: 'first' }),
    mapping('c', 'INTEGER', { required: false }),
  ];
  const { staged } = await lab.importFile(await lab.upload(csv), { columnMappings });
  expect(staged.sourceColumns).toEqual([{ source: 'a', target: 'first' }]);
});

test('of a file without mappings every column is kept', async () => {
  const { staged } = await lab.importFile(await lab.upload(csv));
  expect(staged.sourceColumns).toEqual(['a', 'b', 'b_2'].map((name) => ({ source: name, target: name })));
});
