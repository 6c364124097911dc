import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { xlsxFile, zipFile } from '../../../../test/support/xlsx-file.ts';
import { numberStyle } from '../../src/xlsx/number-style.ts';
import { readSharedStrings } from '../../src/xlsx/shared-strings.ts';
import { readNumberStyles } from '../../src/xlsx/styles.ts';
import { readXml } from '../../src/xlsx/xml.ts';
import { failureOf, type Lab, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const parts = {
  'xl/workbook.xml': '<workbook><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
  'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c></row></sheetData></worksheet>`,
};
const header = '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>';
const importRows = async (rows: string, rest: { sharedStrings?: string[]; formats?: number[] } = {}) =>
  lab.importFile(await lab.upload(xlsxFile({ rows: header + rows, ...rest }), 'xlsx'), {}, true);
const importParts = async (more: Record<string, string>) =>
  lab.importFile(await lab.upload(zipFile({ ...parts, ...more }), 'xlsx'));

const lastEntry = (file: Buffer): number => file.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
const flip = (file: Buffer, at: number): number => file.writeUInt8(file.readUInt8(at) ^ 1, at);

/** Real content of this size would take seconds to write, so bytes are repeated. */
const many = (text: string, count: number): string => text.repeat(count);

describe('a sheet', () => {
  test.each<[string, string]>([
    ['one address twice', '<row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c></row>'],
    ['columns backwards', '<row r="2"><c r="B2"><v>1</v></c><c r="A2"><v>2</v></c></row>'],
    ['an address that is none', '<row r="2"><c r="2"><v>1</v></c></row>'],
    ['a cell in a cell', '<row r="2"><c r="A2"><c r="B2"><v>1</v></c></c></row>'],
    ['a row in a row', '<row r="2"><c r="A2"><v>1</v></c><row r="3"/></row>'],
    ['one row twice', '<row r="2"><c r="A2"><v>1</v></c></row><row r="2"/>'],
    ['half a row number', '<row r="2.5"><c r="A2"><v>1</v></c></row>'],
    ['4 million cells of one address', `<row r="2">${many('<c r="A2"/>', 4_000_000)}</row>`],
    ['tags that are never closed', `<row r="2">${many('<c>', 3_000_000)}`],
    ['a document type', `${many(' ', 10)}<!DOCTYPE a [<!ENTITY b "c">]>`],
    ['an entity of its own', '<row r="2"><c r="A2" t="str"><v>&b;</v></c></row>'],
    ['an entity of JavaScript', '<row r="2"><c r="A2" t="str"><v>&constructor;</v></c></row>'],
    ['an attribute without end', `<row r="2" x="${many('x', 10_000_000)}"/>`],
    ['a comment without end', `<!--${many('x', 10_000_000)}`],
    ['one attribute twice', '<row r="2" x="" x=""/>'],
  ])('with %s is refused', async (_, rows) => {
    expect(await failureOf(importRows(rows))).toMatchObject({ code: 'malformed_file' });
  });

  test('with a cell beyond the last column, or a text beyond any cell, is refused', async () => {
    expect(await failureOf(importRows('<row r="2"><c r="ZZZZZZZZZZZZ2"/></row>'))).toMatchObject({
      code: 'too_many_columns',
    });
    const long = `<row r="2"><c r="A2" t="inlineStr"><is>${many('<t>0123456789</t>', 20_000)}</is></c></row>`;
    expect(await failureOf(importRows(long))).toMatchObject({ code: 'too_large' });
  });

  test('of a few texts repeated beyond measure is refused', async () => {
    const row = (number: number): string =>
      `<row r="${number}"><c r="A${number}" t="s"><v>0</v></c><c r="B${number}" t="s"><v>0</v></c></row>`;
    const rows = Array.from({ length: 20_000 }, (_unused, index) => row(index + 2)).join('');
    const failure = await failureOf(importRows(rows, { sharedStrings: [many('x', 100_000)] }));
    expect(failure).toMatchObject({ code: 'too_large' });
  });

  test('has a row that is too long as one bad row', async () => {
    const cells = Array.from({ length: 60 }, (_unused, index) => {
      const column = index < 26 ? '' : String.fromCharCode(64 + Math.floor(index / 26));
      return `<c r="${column}${String.fromCharCode(65 + (index % 26))}2" t="s"><v>0</v></c>`;
    });
    const { rows, quarantined } = await importRows(
      `<row r="2">${cells.join('')}</row><row r="3"><c r="A3"><v>1</v></c></row>`,
      { sharedStrings: [many('x', 100_000)] },
    );
    expect(rows).toEqual([['1', null]]);
    expect(quarantined.map(([line, , , reason]) => [line, reason])).toEqual([
      ['2', 'The row is longer than 2097152 characters'],
    ]);
  });
});

describe('a workbook', () => {
  test.each<[string, Record<string, string>, string]>([
    ['no sheet', { 'xl/workbook.xml': '<workbook/>' }, 'malformed_file'],
    ['a workbook that is no XML', { 'xl/workbook.xml': 'workbook' }, 'malformed_file'],
  ])('with %s is refused', async (_, more, code) => {
    expect(await failureOf(importParts(more))).toMatchObject({ code });
  });

  test.each<[string, (file: Buffer) => void]>([
    ['a changed byte of the sheet', (file) => flip(file, file.indexOf('sheet1.xml') + 30)],
    ['a checksum that is another one', (file) => flip(file, lastEntry(file) + 16)],
    ['a size that is another one', (file) => flip(file, lastEntry(file) + 24)],
    ['a directory that is elsewhere', (file) => file.writeUInt32LE(0xfffffff0, file.length - 6)],
    ['an entry that is elsewhere', (file) => file.writeUInt32LE(0x7ffffff0, lastEntry(file) + 42)],
    ['entries without end', (file) => file.writeUInt16LE(0xffff, file.length - 12)],
  ])('with %s is refused', async (_, damage) => {
    const file = zipFile(parts);
    damage(file);
    expect(await failureOf(lab.importFile(await lab.upload(file, 'xlsx')))).toMatchObject({
      code: 'malformed_file',
    });
  });
});

describe('a part without end', () => {
  async function* endless(start: string, repeated: (index: number) => string): AsyncGenerator<Buffer> {
    yield Buffer.from(start);
    for (let index = 0; ; index += 1) yield Buffer.from(repeated(index));
  }
  /** Of all texts together. */
  const bound = 4 * 1024 * 1024;
  const handlers = { open: () => undefined, close: () => undefined, text: () => undefined };
  const formats = (from: number): string =>
    Array.from({ length: 1_000 }, (_, index) => `<numFmt numFmtId="${from * 1_000 + index}"/>`).join('');

  test.each<[string, () => Promise<unknown>, string]>([
    [
      'of empty texts',
      () =>
        readSharedStrings(
          endless('<sst>', () => many('<si/>', 50_000)),
          bound,
        ),
      'too_large',
    ],
    [
      'of long texts',
      () =>
        readSharedStrings(
          endless('<sst>', () => `<si><t>${many('é', 100_000)}</t></si>`),
          bound,
        ),
      'too_large',
    ],
    [
      'of one text',
      () => readSharedStrings(endless('<sst><si>', () => `<t>${many('x', 1_000)}</t>`)),
      'too_large',
    ],
    ['of styles', () => readNumberStyles(endless('<s><cellXfs>', () => many('<xf/>', 1_000))), 'too_large'],
    ['of formats', () => readNumberStyles(endless('<s><numFmts>', formats)), 'too_large'],
    [
      'of one comment',
      () =>
        readXml(
          endless('<s><!--', () => many('x', 1_000)),
          handlers,
        ),
      'malformed_file',
    ],
    [
      'of attributes',
      () =>
        readXml(
          endless('<s', (index) => ` a${index}=""`),
          handlers,
        ),
      'malformed_file',
    ],
    [
      'of nested tags',
      () =>
        readXml(
          endless('<s>', () => '<s>'),
          handlers,
        ),
      'malformed_file',
    ],
  ])('%s is refused', async (_, read, code) => {
    expect(await failureOf(read())).toMatchObject({ code });
  });
});

test('prefixes, CDATA, escapes, pronunciations and a > in an attribute are read as they are meant', async () => {
  const file = zipFile({
    'xl/workbook.xml':
      '<?xml version="1.0"?><x:workbook xmlns:x="m" xmlns:q="r"><x:sheets><x:sheet q:id="rId1"/></x:sheets></x:workbook>',
    'xl/sharedStrings.xml':
      '<x:sst xmlns:x="m"><x:si><x:r><x:t>two</x:t></x:r><x:r><x:t> runs</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh></x:si></x:sst>',
    'xl/styles.xml':
      '<s><numFmts><numFmt formatCode="[>9]0" numFmtId="200"/><numFmt numFmtId="201" formatCode=\'[<9]yyyy;"0"\'/></numFmts><cellXfs><xf numFmtId="200"/><xf numFmtId="201"/></cellXfs></s>'.replace(
        '[<',
        '[&lt;',
      ),
    'xl/worksheets/sheet1.xml': `<x:worksheet xmlns:x="m"><x:row r="9"/><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c t="str"><x:v>b</x:v></x:c><x:c t="str"><x:v>c</x:v></x:c><x:c t="str"><x:v>d</x:v></x:c></x:row>
      <!-- > --><x:row r="2"><x:c t="s"><x:f>1&gt;2</x:f><x:v>0</x:v></x:c><x:c t="str"><x:v><![CDATA[<&]]>_x000D_&#x41;</x:v></x:c><x:c s="0"><x:v>5</x:v></x:c><x:c s="1"><x:v>45322</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
  });
  const { columns, rows } = await lab.importFile(await lab.upload(file, 'xlsx'));
  expect(columns).toEqual(['a STRING', 'b STRING', 'c INTEGER', 'd DATE']);
  expect(rows).toEqual([['two runs', '<&\rA', '5', '2024-01-31']]);
});

test('a preview of a large sheet ends at its page', async () => {
  const rows = Array.from({ length: 50_000 }, (_, index) => `<row><c><v>${index}</v></c></row>`);
  const source = await lab.upload(xlsxFile({ rows: header + rows.join('') }), 'xlsx');
  const preview = await lab.previewFile(source, {}, { pageSize: 2 });
  expect(preview.rows).toEqual([
    [0, null],
    [1, null],
  ]);
  expect(preview.totalRows).toBe(50_000);
});

describe('a number format', () => {
  test.each<[string, string | undefined]>([
    ['yyyy-mm-dd', 'date'],
    ['mmm', 'date'],
    ['m', 'date'],
    ['[h]:mm:ss', 'elapsed'],
    ['[mm]:ss', 'elapsed'],
    ['[m]', 'elapsed'],
    ['[ss].00', 'elapsed'],
    ['d [h]:mm', 'date'],
    ['h:mm AM/PM', 'time'],
    ['mm:ss.000', 'time'],
    ['[$-409]d-mmm-yy;@', 'date'],
    ['[Red]0', undefined],
    ['#,##0.00 "days"', undefined],
    ['0.00E+00', undefined],
    ['\\y0', undefined],
    ['[>9]0', undefined],
    ['General', undefined],
  ])('%s shows a number as %s', (code, style) => {
    expect(numberStyle(200, code)).toBe(style);
  });

  test.each([many('[', 200_000), `y${many('0', 200_000)}.`, many('y', 256)])(
    'longer than any is none',
    (code) => {
      expect(numberStyle(200, code)).toBeUndefined();
    },
  );
});
