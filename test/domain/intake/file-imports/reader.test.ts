import { afterAll, beforeAll, expect, test } from 'vitest';
import { identifier } from '../../../../data/lake/sql.ts';
import { duckDbType } from '../../../../domain/tables/tables/columns.ts';
import { openTestLake } from '../../tables/query/lab.ts';
import { type ImportLab, mapping, openImportLab } from './lab.ts';

let lab: ImportLab;
beforeAll(async () => {
  lab = await openImportLab();
});
afterAll(() => lab.close());

test('the files can be registered in the lake with every type, and read by another engine', async () => {
  const types = [
    'STRING',
    'INTEGER',
    'DECIMAL(12,3)',
    'DECIMAL',
    'DOUBLE',
    'BOOLEAN',
    'DATE',
    'TIMESTAMP',
    'TIME',
    'JSON',
  ];
  const values = [
    'x',
    '9007199254740993',
    '1.25',
    '0.0000000001',
    '0.5',
    'true',
    '2024-01-31',
    '2024-01-31 10:00:00',
    '10:00:01.5',
    '{"a":[1]}',
  ];
  const names = types.map((_, index) => `c${index}`);
  const source = await lab.upload(
    `${names.join('|')}\n${values.join('|')}\n${values.map(() => '').join('|')}\n`,
  );
  const columnMappings = types.map((type, index) => mapping(names[index]!, type));
  const lake = await openTestLake();
  try {
    const target = { prefixUrl: `${lake.location.dataPath}main/imp_1/`, quarantine: false };
    const options = { columnMappings, includeLoadDate: true };
    const { table } = await lab.reader.stage(
      source,
      options,
      target,
      () => undefined,
      new AbortController().signal,
    );
    const columns = table.columns.map(({ name, dataType }) => `${identifier(name)} ${duckDbType(dataType)}`);
    await lake.runAsWriter(`CREATE TABLE lake.main.t (${columns.join(', ')})`);
    for (const { url } of table.files)
      await lake.runAsWriter(`CALL ducklake_add_data_files('lake', 't', '${url}')`);
    const rows = await lake.readAsWriter(
      'SELECT * EXCLUDE (_load_date), _load_date IS NULL FROM lake.main.t',
    );
    expect(rows).toEqual([
      [
        'x',
        '9007199254740993',
        '1.250',
        '0.0000000001',
        0.5,
        true,
        '2024-01-31',
        '2024-01-31 10:00:00',
        '10:00:01.5',
        '{"a":[1]}',
        false,
      ],
      [...values.map(() => null), false],
    ]);
  } finally {
    await lake.close();
  }
});

test('the rows of a preview are in the form of answers, with exact numbers', async () => {
  const source = await lab.upload(
    '[{"n":9007199254740993,"s":7,"j":{"m":12345678901234567890},"d":1.5}]',
    'json',
  );
  const page = { pageNumber: 1, pageSize: 5 };
  const { rows } = await lab.reader.preview(source, { includeLoadDate: true }, page);
  expect(JSON.stringify(rows)).toMatch(
    /^\[\["9007199254740993",7,\{"m":12345678901234567890\},1.5,"\d{4}-\d\d-\d\dT/,
  );
});

test('names that the lake keeps for itself get another form', async () => {
  const staged = await lab.importFile(await lab.upload('a,ctid,_ducklake_internal_x\n1,2,3\n'), {});
  expect(staged.table.columns.map(({ name }) => name)).toEqual([
    'a',
    'ctid_2',
    'column__ducklake_internal_x_2',
  ]);
});
