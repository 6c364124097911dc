import { afterAll, beforeAll, expect, test } from 'vitest';
import { xlsxFile, zipFile } from '../../../../test/support/xlsx-file.ts';
import type { XlsxOptions } from '../../src/contract.ts';
import { failureOf, type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

/** Digits are numbers, all else is text. */
const cell = (text: string) =>
  /^\d+$/.test(text) ? `<c><v>${text}</v></c>` : `<c t="inlineStr"><is><t>${text}</t></is></c>`;
const row = (number: number, ...texts: string[]) => `<row r="${number}">${texts.map(cell).join('')}</row>`;
const worksheet = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;

/** A title above a header that is followed by a line of units, and an ordinary sheet. */
const workbook = zipFile({
  'xl/workbook.xml':
    '<workbook><sheets><sheet name="Report &amp; more" r:id="r1"/><sheet name="Plain" r:id="r2"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="r1" Target="worksheets/one.xml"/><Relationship Id="r2" Target="worksheets/two.xml"/></Relationships>',
  'xl/worksheets/one.xml': worksheet(
    row(1, 'A title') +
      row(3, 'city', 'km') +
      row(4, '(name)', '(km)') +
      row(5, 'Porto', '7') +
      row(7, 'Lagos', '9'),
  ),
  'xl/worksheets/two.xml': worksheet(row(1, 'a') + row(2, '1')),
});

const read = async (xlsx: XlsxOptions) => {
  const { columns, rows } = await lab.importFile(await lab.upload(workbook, 'xlsx'), { xlsx });
  return { columns, rows };
};

test('a sheet is chosen by its name, ignoring case; the first one by default', async () => {
  expect(await read({ sheet: 'PLAIN' })).toMatchObject({ columns: ['a INTEGER'], rows: [['1']] });
  expect((await read({})).columns).toEqual(['city STRING', 'km STRING']);
});

test('titles above the names are left out with a warning, and a footer where its row is said', async () => {
  const sheet = (...rows: string[]) =>
    zipFile({
      'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Target="worksheets/one.xml"/></Relationships>',
      'xl/worksheets/one.xml': worksheet(rows.join('')),
    });
  const importing = async (content: Buffer, xlsx: XlsxOptions = {}) => {
    const { columns, rows, staged } = await lab.importFile(await lab.upload(content, 'xlsx'), { xlsx });
    return { columns, rows, warnings: staged.warnings };
  };
  const table = [row(4, 'city', 'km'), row(5, 'Porto', '7'), row(6, 'Lagos', '9'), row(8, 'Source: us')];
  const titled = sheet(row(1, 'Distances'), row(2, 'of 2026'), ...table);
  expect(await importing(titled, { lastDataRow: 6 })).toMatchObject({
    columns: ['city STRING', 'km INTEGER'],
    rows: [
      ['Porto', '7'],
      ['Lagos', '9'],
    ],
    warnings: [{ code: 'title_rows', count: 2, message: expect.stringContaining('Rows 1 to 2') }],
  });
  expect((await importing(titled)).rows).toHaveLength(3);
  expect((await importing(titled, { headerRow: 2 })).columns[0]).toBe('of 2026 STRING');
  // Neither a list of names, nor one whose second column has few values, has a title.
  const names = await importing(sheet(row(1, 'name'), row(2, 'Ada'), row(3, 'Grace')));
  expect(names).toMatchObject({ columns: ['name STRING'], rows: [['Ada'], ['Grace']] });
  const noted = [row(1, 'name'), row(2, 'Ada'), row(3, 'Grace', 'a note'), row(4, 'Alan'), row(5, 'Mary')];
  expect((await importing(sheet(...noted))).columns[0]).toBe('name STRING');
  const numbers = await importing(sheet(row(1, 'year'), row(2, '1', '2'), row(3, '3', '4')));
  expect(numbers.columns[0]).toBe('year INTEGER');
});

test('header and data begin where they are said to', async () => {
  const data = [
    ['Porto', '7'],
    ['Lagos', '9'],
  ];
  expect(await read({ sheet: 'Report & more', headerRow: 3, firstDataRow: 5 })).toMatchObject({
    ...{ columns: ['city STRING', 'km INTEGER'], rows: data },
  });
  expect(await read({ headerRow: 3 })).toMatchObject({
    ...{
      columns: ['city STRING', 'km STRING'],
      rows: [
        ['(name)', '(km)'],
        ['Porto', '7'],
        ['Lagos', '9'],
      ],
    },
  });
  expect(await read({ headerRow: 0, firstDataRow: 5 })).toMatchObject({
    ...{ columns: ['column1 STRING', 'column2 INTEGER'], rows: data },
  });
  // The row of the header is empty.
  expect(await read({ headerRow: 2, firstDataRow: 5 })).toMatchObject({
    ...{ columns: ['column1 STRING', 'column2 INTEGER'], rows: data },
  });
  expect(await read({ headerRow: 3, firstDataRow: 6 })).toMatchObject({ rows: [['Lagos', '9']] });
});

test('a preview lists the sheets, and names them if the requested one is missing', async () => {
  const source = await lab.upload(workbook, 'xlsx');
  const { sheets, rows } = await lab.previewFile(source, { xlsx: { sheet: 'Plain' } });
  expect({ sheets, rows }).toEqual({ sheets: ['Report & more', 'Plain'], rows: [[1]] });
  expect(await failureOf(lab.previewFile(source, { xlsx: { sheet: 'Total' } }))).toMatchObject({
    code: 'missing_sheet',
    message: 'The workbook has no sheet "Total". It has "Report & more", "Plain".',
  });
  expect(await failureOf(lab.importFile(source, { xlsx: { sheet: 'Total' } }))).toMatchObject({
    code: 'missing_sheet',
  });
});

test('bad rows of a sheet are told by their row number', async () => {
  const { badRows } = await lab.previewFile(await lab.upload(workbook, 'xlsx'), {
    xlsx: { headerRow: 3 },
    columnMappings: [mapping('km', 'INTEGER')],
  });
  expect(badRows).toMatchObject([{ line: 4, column: 'km' }]);
});

test.each([
  [{ headerRow: 3, firstDataRow: 3 }, 'firstDataRow'],
  [{ headerRow: -1 }, 'headerRow'],
  [{ headerRow: 3, lastDataRow: 3 }, 'lastDataRow'],
] as const)('%j is refused at its place', async (xlsx, field) => {
  await expect(lab.previewFile(await lab.upload(workbook, 'xlsx'), { xlsx })).rejects.toMatchObject({
    faults: [{ path: ['xlsx', field] }],
  });
});

test('what is not a workbook has no sheets to choose', async () => {
  const source = await lab.upload('a\n1\n', 'csv');
  await expect(lab.previewFile(source, { xlsx: { sheet: 'S' } })).rejects.toMatchObject({
    faults: [{ path: ['xlsx'] }],
  });
  expect((await lab.previewFile(source)).sheets).toBeNull();
});

/** A cell of a sheet, by its reference; a formula has no value. */
const at = (reference: string, content: string) => `<c r="${reference}">${content}</c>`;
const ofRows = async (rows: string, options = {}) =>
  lab.importFile(await lab.upload(xlsxFile({ rows }), 'xlsx'), options);

test.each([
  ['1234567890123456789', 'INTEGER', '1234567890123456789'],
  ['12345678901234567', 'INTEGER', '12345678901234567'],
  ['9007199254740993', 'INTEGER', '9007199254740993'],
  ['12345678901234567890', 'DECIMAL(38,0)', '12345678901234567890'],
  ['4111111111111111', 'INTEGER', '4111111111111111'],
  ['1.2345678901234568E+18', 'DOUBLE', 1.2345678901234568e18],
  ['1.5E+3', 'INTEGER', '1500'],
])('an integer beyond 2^53 keeps the digits of the file, or is a double: %s', async (value, type, read) => {
  const { columns, rows } = await ofRows(`${row(1, 'id')}<row r="2"><c><v>${value}</v></c></row>`);
  expect([columns, rows]).toEqual([[`id ${type}`], [[read]]]);
});

test('formulas without a value are told, their rows stay, and a column of them alone is refused', async () => {
  const rows = `${row(1, 'a', 'b')}<row r="2">${at('A2', '<v>1</v>')}${at('B2', '<f>A2*2</f>')}</row>
    <row r="3">${at('A3', '<f>A2+1</f>')}${at('B3', '<f>A3*2</f>')}</row>
    <row r="4">${at('A4', '<v>3</v>')}${at('B4', '<f>A4*2</f><v>6</v>')}</row>`;
  const found = await ofRows(rows);
  expect(found.rows).toEqual([
    ['1', null],
    [null, null],
    ['3', '6'],
  ]);
  const warnings = [
    { code: 'formulas_without_value', sheet: 'S', column: 'b', count: 2, message: expect.any(String) },
    { code: 'formulas_without_value', sheet: 'S', column: 'a', count: 1, message: expect.any(String) },
  ];
  expect(found.staged.warnings).toEqual(warnings);
  expect((await lab.previewFile(await lab.upload(xlsxFile({ rows }), 'xlsx'))).warnings).toEqual(warnings);
  const none = `${row(1, 'a', 'b')}<row r="2">${at('A2', '<v>1</v>')}${at('B2', '<f>A2*2</f>')}</row>`;
  expect(await failureOf(ofRows(none))).toMatchObject({ code: 'formulas_without_value', column: 'b' });
});

test('columns are in the order of the sheet where rows are sparse', async () => {
  const rows = `<row r="1">${at('D1', '<v>4</v>')}</row><row r="2">${at('B2', '<v>2</v>')}${at('D2', '<v>8</v>')}</row>
    <row r="3">${at('A3', '<v>1</v>')}</row>`;
  const found = await ofRows(rows, { xlsx: { headerRow: 0 } });
  expect(found.columns).toEqual(['column1 INTEGER', 'column2 INTEGER', 'column4 INTEGER']);
  expect(found.rows).toEqual([
    [null, null, '4'],
    [null, '2', '8'],
    ['1', null, null],
  ]);
  const columnMappings = [mapping('column4', 'STRING'), mapping('column1', 'INTEGER', { unique: true })];
  const mapped = await ofRows(rows, { xlsx: { headerRow: 0 }, columnMappings });
  expect(mapped.rows).toEqual([
    ['4', null],
    ['8', null],
    [null, '1'],
  ]);
});
