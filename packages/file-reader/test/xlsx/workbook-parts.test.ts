import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zipFile } from '../../../../test/support/xlsx-file.ts';
import { failureOf, type Lab, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const transitional = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';
const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships/';

type Link = [id: string, kind: string, target: string, rest?: string];
const links = (types: string, ...all: Link[]) =>
  `<Relationships>${all.map(([id, kind, target, rest = '']) => `<Relationship Id="${id}" Type="${types}${kind}" Target="${target}" ${rest}/>`).join('')}</Relationships>`;
const listOf = (...sheets: [name: string, id: string][]) =>
  `<workbook><sheets>${sheets.map(([name, id]) => `<sheet name="${name}" r:id="${id}"/>`).join('')}</sheets></workbook>`;
const worksheet = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
const styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';
const strings = '<sst><si><t>at</t></si></sst>';
/** A date under a header that is a shared text: it needs every part. */
const dated = worksheet(
  '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" s="1"><v>45322</v></c></row>',
);
const plain = (name: string) =>
  worksheet(`<row r="1"><c t="str"><v>${name}</v></c></row><row r="2"><c><v>1</v></c></row>`);

const read = async (parts: Record<string, string>, xlsx = {}) => {
  const { columns, rows } = await lab.importFile(await lab.upload(zipFile(parts), 'xlsx'), { xlsx });
  return { columns, rows };
};

describe('parts are found by their relationships', () => {
  test.each<[string, string, string, (name: string) => string]>([
    ['relative', transitional, 'xl/workbook22.xml', (name) => name],
    ['absolute, in a strict workbook', strict, '/xl/workbook22.xml', (name) => `/xl/${name}`],
    ['relative to a folder above', transitional, './xl/workbook22.xml', (name) => `../xl/./${name}`],
  ])('%s', async (_, types, workbook, target) => {
    expect(
      await read({
        '_rels/.rels': links(
          types,
          ['p', 'extended-properties', 'docProps/app.xml'],
          ['r', 'officeDocument', workbook],
        ),
        'xl/workbook22.xml': listOf(['S', 'r1']),
        'xl/_rels/workbook22.xml.rels': links(
          types,
          ['r3', 'styles', target('styles2.xml')],
          ['r2', 'sharedStrings', target('texts/all.xml')],
          ['r1', 'worksheet', target('worksheets/other.xml')],
        ),
        'xl/styles2.xml': styles,
        'xl/texts/all.xml': strings,
        'xl/worksheets/other.xml': dated,
      }),
    ).toEqual({ columns: ['at DATE'], rows: [['2024-01-31']] });
  });

  test('outside of the usual folder, and instead of parts with the usual names', async () => {
    expect(
      await read({
        '_rels/.rels': links(transitional, ['r', 'officeDocument', 'book.xml']),
        'book.xml': listOf(['S', 'r1']),
        '_rels/book.xml.rels': links(
          transitional,
          ['r1', 'worksheet', 'one.xml'],
          ['r2', 'sharedStrings', 'texts.xml'],
          ['r3', 'styles', 'formats.xml'],
        ),
        'xl/workbook.xml': listOf(),
        'sharedStrings.xml': '<sst/>',
        'styles.xml': '<styleSheet/>',
        'formats.xml': styles,
        'texts.xml': strings,
        'one.xml': dated,
      }),
    ).toEqual({ columns: ['at DATE'], rows: [['2024-01-31']] });
  });

  test('ignoring the case of their names', async () => {
    expect(
      await read({
        '_RELS/.rels': links(transitional, ['r', 'officeDocument', 'xl/Workbook.xml']),
        'xl/workbook.XML': listOf(['S', 'r1']),
        'xl/_rels/workbook.xml.RELS': links(
          transitional,
          ['r1', 'worksheet', 'Worksheets/Sheet1.xml'],
          ['r2', 'sharedStrings', 'sharedStrings.xml'],
        ),
        'xl/SharedStrings.xml': strings,
        'xl/Styles.xml': styles,
        'xl/worksheets/sheet1.xml': dated,
      }),
    ).toEqual({ columns: ['at DATE'], rows: [['2024-01-31']] });
  });

  test('by their usual names where the relationships are left out, lead nowhere or out of the file', async () => {
    const usual = { 'xl/sharedStrings.xml': strings, 'xl/styles.xml': styles };
    const sheets = { 'xl/worksheets/sheet1.xml': plain('a'), 'xl/worksheets/sheet2.xml': dated };
    const workbook = { 'xl/workbook.xml': listOf(['One', 'r1'], ['Two', 'r2']), ...usual, ...sheets };
    const expected = { columns: ['at DATE'], rows: [['2024-01-31']] };
    expect(await read(workbook, { sheet: 'Two' })).toEqual(expected);
    const misleading = {
      '_rels/.rels': links(transitional, ['r', 'officeDocument', 'xl/book.xml']),
      'xl/_rels/workbook.xml.rels': links(
        transitional,
        ['r2', 'worksheet', 'worksheets/sheet2.xml'],
        ['r3', 'sharedStrings', 'texts.xml'],
        ['r4', 'styles', 'styles2.xml', 'TargetMode="External"'],
      ),
    };
    expect(await read({ ...workbook, ...misleading }, { sheet: 'Two' })).toEqual(expected);
  });

  test('a target longer than any name is refused', async () => {
    const long = links(transitional, ['r1', 'worksheet', 'x'.repeat(70_000)]);
    const parts = { 'xl/workbook.xml': listOf(['S', 'r1']), 'xl/_rels/workbook.xml.rels': long };
    expect(await failureOf(read(parts))).toMatchObject({
      code: 'malformed_file',
      message: expect.stringContaining('xl/_rels/workbook.xml.rels'),
    });
  });
});

describe('a sheet that is a chart', () => {
  const charted = (...sheets: [name: string, id: string][]) => ({
    'xl/workbook.xml': listOf(...sheets),
    'xl/_rels/workbook.xml.rels': links(
      transitional,
      ['r1', 'chartsheet', 'chartsheets/sheet1.xml'],
      ['r2', 'worksheet', 'worksheets/sheet1.xml'],
      ['r3', 'worksheet', 'worksheets/sheet2.xml'],
    ),
    'xl/chartsheets/sheet1.xml': '<chartsheet/>',
    'xl/worksheets/sheet1.xml': plain('a'),
    'xl/worksheets/sheet2.xml': plain('b'),
  });
  const all = charted(['Chart', 'r1'], ['Data', 'r2'], ['More', 'r3']);

  test('is passed over by default, and refused with why where it is asked for', async () => {
    expect(await read(all)).toEqual({ columns: ['a INTEGER'], rows: [['1']] });
    const { sheets, rows } = await lab.previewFile(await lab.upload(zipFile(all), 'xlsx'));
    expect({ sheets, rows }).toEqual({ sheets: ['Chart', 'Data', 'More'], rows: [[1]] });
    expect(await failureOf(read(all, { sheet: 'chart' }))).toMatchObject({
      code: 'missing_sheet',
      message: 'The sheet "chart" is a chart without cells. The workbook also has "Data", "More".',
    });
  });

  test('alone is refused', async () => {
    expect(await failureOf(read(charted(['Chart', 'r1'])))).toMatchObject({
      code: 'empty_file',
      message: expect.stringContaining('no worksheet'),
    });
  });
});
