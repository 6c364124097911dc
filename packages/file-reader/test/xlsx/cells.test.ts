import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SheetParts, xlsxFile } from '../../../../test/support/xlsx-file.ts';
import { type Lab, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

/** Imports cells below one header; returns the column's type and its values. */
async function importCells(cells: string[], rest: Omit<SheetParts, 'rows'> = {}) {
  const rows = ['<c t="str"><v>v</v></c>', ...cells].map((cell) => `<row>${cell}</row>`).join('');
  const source = await lab.upload(xlsxFile({ rows, ...rest }), 'xlsx');
  const imported = await lab.importFile(source);
  return { type: imported.columns[0]?.slice(2), values: imported.rows.map(([value]) => value) };
}

describe('a cell of a truth value', () => {
  const truths = (...values: string[]) => importCells(values.map((value) => `<c t="b"><v>${value}</v></c>`));

  test('is written as a digit or as a word, in any case', async () => {
    expect(await truths('1', 'true', 'TRUE', ' True ', '0', 'false', 'FALSE')).toEqual({
      type: 'BOOLEAN',
      values: [true, true, true, true, false, false, false],
    });
  });

  test('keeps the text that is neither', async () => {
    expect(await truths('1', 'yes', '2')).toEqual({ type: 'STRING', values: ['true', 'yes', '2'] });
  });
});

describe('a cell of elapsed time', () => {
  const codes = { 200: '[h]:mm:ss', 201: '[mm]:ss', 202: '[ss].000' };
  const elapsed = (format: number, ...days: number[]) =>
    importCells(
      days.map((value) => `<c s="0"><v>${value}</v></c>`),
      { formats: [format], codes },
    );

  test.each([46, 200, 201, 202])("of a day or more isn't a date (format %i)", async (format) => {
    expect(await elapsed(format, 7.5 / 24, 1, 40 / 24, 100.5, -1.5 / 24, 1 + 0.25 / 86_400, 0)).toEqual({
      type: 'STRING',
      values: ['07:30:00', '24:00:00', '40:00:00', '2412:00:00', '-01:30:00', '24:00:00.250', '00:00:00'],
    });
  });

  test('is TIME where all are below a day', async () => {
    expect(await elapsed(46, 7.5 / 24, 0.25 / 86_400)).toEqual({
      type: 'TIME',
      values: ['07:30:00', '00:00:00.25'],
    });
  });
});

test('the first day of a workbook that counts from 1904 is a date, unless its format shows none', async () => {
  const cells = [0, 1, 2, 3].map((style) => `<c s="${style}"><v>0.5</v></c>`);
  const formats = [22, 200, 20, 201];
  const codes = { 200: 'd/m/yy', 201: 'hh:mm' };
  const { values } = await importCells(cells, { formats, codes, is1904: true });
  expect(values).toEqual(['1904-01-01 12:00:00', '1904-01-01 12:00:00', '12:00:00', '12:00:00']);
  expect(await importCells(['<c><v>0</v></c>'], { formats: [14], is1904: true })).toEqual({
    type: 'DATE',
    values: ['1904-01-01'],
  });
  expect(await importCells(cells, { formats, codes })).toMatchObject({ type: 'TIME' });
});
