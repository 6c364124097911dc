import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, type Lab, mapping, openLab } from './lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

test('shows a page of rows, the bad ones beside them, and the options in effect', async () => {
  const source = await lab.upload('id;wert;tag\n1;1,5;31.12.2024\nx;2,5;01.01.2025\n3;3,5;02.01.2025\n');
  const columnMappings = [
    mapping('id', 'INTEGER', { targetColumnName: 'Id', nullable: false }),
    mapping('wert', 'DECIMAL(5,1)'),
  ];
  const csv = { dateFormat: 'dd.MM.yyyy' };
  expect(await lab.previewFile(source, { columnMappings, csv }, { pageSize: 2 })).toEqual({
    columns: [
      { sourceName: 'id', targetName: 'Id', dataType: 'INTEGER', nullable: false },
      { sourceName: 'wert', targetName: 'wert', dataType: 'DECIMAL(5,1)', nullable: true },
    ],
    rows: [[1, '1.5']],
    pageNumber: 1,
    pageSize: 2,
    totalRows: 3,
    badRows: [{ line: 3, column: 'id', raw: 'x;2,5;01.01.2025', reason: '"x" does not fit INTEGER' }],
    badRowsTotal: 1,
    detectedCsv: {
      charEncoding: 'UTF_8',
      columnSeparator: ';',
      quoteCharacter: '"',
      escapeCharacter: '',
      headerRow: 1,
      firstDataRow: 2,
      dateFormat: 'dd.MM.yyyy',
      thousands: '.',
      nullValues: [''],
      shortRows: 'bad',
      skippedLines: [],
    },
    warnings: [],
    sheets: null,
  });
});

test('counts the bad rows of the whole file, whichever page is shown and however they are bad', async () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => (at % 1_000 === 999 ? 'x,1' : `${at},1`));
  const broken = '7,8,9\n"open" text,1\n';
  const source = await lab.upload(`a,b\n${lines.join('\n')}\n${broken}`);
  const columnMappings = [mapping('a', 'INTEGER'), mapping('b', 'INTEGER')];
  for (const pageNumber of [1, 40, 9_999]) {
    const page = { pageNumber, pageSize: 50 };
    const { badRowsTotal, totalRows } = await lab.previewFile(source, { columnMappings }, page);
    expect([badRowsTotal, totalRows]).toEqual([7, 5_002]);
  }
  expect((await lab.previewFile(source)).badRowsTotal).toBe(2);
});

test('tells types from the whole file on every page', async () => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `${index},${index}`);
  const source = await lab.upload(`a,b\n${lines.join('\n')}\nx,1.5\n`);
  const { columns, rows, totalRows } = await lab.previewFile(source, {}, { pageNumber: 3_001, pageSize: 10 });
  expect(columns.map(({ dataType }) => dataType)).toEqual(['STRING', 'DOUBLE']);
  expect([rows, totalRows]).toEqual([[['x', 1.5]], 30_001]);
});

test('finds a value that repeats one of an earlier page', async () => {
  const source = await lab.upload('k,v\n1,a\n2,b\n1,c\n3,d\n');
  const columnMappings = [mapping('k', 'INTEGER', { unique: true })];
  const { rows, badRows } = await lab.previewFile(source, { columnMappings }, { pageNumber: 2, pageSize: 2 });
  expect(rows).toEqual([[3]]);
  expect(badRows).toEqual([
    { line: 4, column: 'k', raw: '1,c', reason: '"1" repeats line 2, and the column is unique' },
  ]);
});

test('a bad row is on its own page, whatever is wrong with it', async () => {
  const source = await lab.upload('a,b\n1,2\n"x"y,2\n3\n"open,4\n5,6,7\nz,8\n');
  const columnMappings = [mapping('a', 'INTEGER'), mapping('b', 'INTEGER')];
  const lines: number[][] = [];
  for (const pageNumber of [1, 2, 3]) {
    const page = await lab.previewFile(source, { columnMappings }, { pageNumber, pageSize: 2 });
    lines.push(page.badRows.map(({ line }) => line));
  }
  expect(lines).toEqual([[3], [4, 5], [6, 7]]);
});

test('includes the load date, and keeps numbers exact', async () => {
  const source = await lab.upload('[{"n":9007199254740993,"j":{"m":12345678901234567890}}]', 'json');
  const { columns, rows } = await lab.previewFile(source, { includeLoadDate: true });
  expect(columns.map(({ targetName, dataType }) => `${targetName} ${dataType}`)).toEqual([
    'n INTEGER',
    'j JSON',
    '_load_date TIMESTAMP',
  ]);
  expect(JSON.stringify(rows)).toMatch(
    /^\[\["9007199254740993",\{"m":12345678901234567890\},"\d{4}-\d\d-\d\d /,
  );
});

test('pages through every format', async () => {
  const objects = Array.from({ length: 5 }, (_, index) => `{"n":${index}}`);
  const sources = [
    await lab.upload(await lab.parquet('SELECT i AS n FROM range(5) AS t(i)'), 'parquet'),
    await lab.upload('n,m\n0,\n1,\n2,\n3,\n4,\n'),
    await lab.upload(`[${objects.join(',')}]`, 'json'),
    await lab.upload(objects.join('\n'), 'ndjson'),
  ];
  for (const source of sources) {
    for (const options of [{}, { columnMappings: [mapping('n', 'INTEGER')] }]) {
      const { rows, totalRows } = await lab.previewFile(source, options, { pageNumber: 2, pageSize: 2 });
      expect([rows.map(([n]) => n), totalRows]).toEqual([[2, 3], 5]);
    }
  }
});

test('a mapping of a column that is not there is a 422 at its place', async () => {
  const source = await lab.upload('a,b\n1,2\n');
  const columnMappings = [mapping('a', 'STRING'), mapping('c', 'STRING')];
  const { code, column } = await failureOf(lab.previewFile(source, { columnMappings }));
  expect([code, column]).toEqual(['missing_column', 'c']);
});

describe('a small file of many columns', () => {
  const wide = (columns: number, rows: number, value: (row: number, column: number) => string): string => {
    const line = (at: (column: number) => string): string =>
      Array.from({ length: columns }, (_, index) => at(index)).join(';');
    const lines = Array.from({ length: rows }, (_, row) => line((column) => value(row, column)));
    return `${line((column) => `c${column}`)}\n${lines.join('\n')}\n`;
  };

  test.each<[string, string, string, object?]>([
    ['decimals', wide(221, 110, (row, column) => `${row}.${column}25`), 'DOUBLE'],
    ['grouped decimals', wide(221, 110, (row, column) => `1.${100 + (row % 900)},${column}5`), 'DOUBLE'],
    [
      'whole numbers and several texts for null',
      wide(221, 110, (row, column) => String(row * column)),
      'INTEGER',
      { nullValues: ['', 'NA', 'n/a', 'null', 'NULL', '-'] },
    ],
    [
      'whole numbers and numbers for null',
      wide(221, 110, (row, column) => String(row * column)),
      'INTEGER',
      { nullValues: ['', '9991', '9992', '9993', '9994', '9995'] },
    ],
    ['points in time', wide(221, 50, () => '2024-01-31T10:00:00+02:00'), 'TIMESTAMPTZ'],
    ['numbers', wide(2_000, 30, (row, column) => String(row * column)), 'INTEGER'],
    ['texts', wide(2_000, 30, () => 'x'), 'STRING'],
  ])('is shown: %s', async (_, text, dataType, csv = {}) => {
    const { columns, rows, badRows } = await lab.previewFile(
      await lab.upload(text),
      { csv },
      { pageSize: 10 },
    );
    expect(new Set(columns.map((column) => column.dataType))).toEqual(new Set([dataType]));
    expect([rows.length, rows[9]?.length, badRows]).toEqual([10, columns.length, []]);
  });

  test('names the first bad value of a row in the order of the columns', async () => {
    const text = wide(600, 3, (row, column) =>
      row === 1 && (column === 7 || column === 500) ? `x${column}` : '1',
    );
    const columnMappings = Array.from({ length: 600 }, (_, index) =>
      mapping(`c${index}`, index % 2 === 0 ? 'DOUBLE' : 'INTEGER', { nullable: index % 3 === 0 }),
    );
    const { rows, badRows } = await lab.previewFile(await lab.upload(text), { columnMappings });
    expect(rows).toHaveLength(2);
    expect(badRows).toMatchObject([{ line: 3, column: 'c7', reason: '"x7" does not fit INTEGER' }]);
  });
});

test('a number for null leaves the numbers of the lines alone', async () => {
  const source = await lab.upload('a,b\n1,2\n2,3\nx,4\n');
  const options = {
    csv: { nullValues: ['2', '4'] },
    columnMappings: [mapping('a', 'INTEGER'), mapping('b', 'INTEGER')],
  };
  const { rows, badRows } = await lab.previewFile(source, options);
  expect(rows).toEqual([
    [1, null],
    [null, 3],
  ]);
  expect(badRows).toMatchObject([{ line: 4, column: 'a', raw: 'x,4' }]);
});
