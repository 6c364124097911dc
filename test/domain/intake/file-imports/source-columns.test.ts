import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ImportLab, mapping, openImportLab } from './lab.ts';

let lab: ImportLab;
beforeAll(async () => {
  lab = await openImportLab();
});
afterAll(() => lab.close());

const csv = 'a,b,b\n1,2,3\n';

async function parquet(select: string): Promise<Buffer> {
  const url = `${lab.prefixUrl}named.parquet`;
  await lab.query(`COPY (${select}) TO '${url}' (FORMAT parquet)`);
  const parts: Buffer[] = [];
  for await (const part of await lab.deps.objects.read(url.split('/').slice(3).join('/')))
    parts.push(part as Buffer);
  return Buffer.concat(parts);
}

test('the names that columns have in a Parquet file are kept beside those of the table', async () => {
  const source = await lab.upload(await parquet('SELECT 1 AS " a ", 2 AS "_load_date"'), 'parquet');
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
