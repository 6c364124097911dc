import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { detectDialect } from '../../src/text/dialect.ts';
import { failureOf, type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const imported = async (text: string | Buffer, options = {}, quarantine = false) =>
  lab.importFile(await lab.upload(text), options, quarantine);

function detected(text: string) {
  const { separator, header, headerRow, skipped } = detectDialect(Buffer.from(text), true, {});
  return { separator, header, headerRow, skipped: skipped.length };
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('the separators of the header count', () => {
  /** Rows whose last field is left out from the tenth on. */
  const ragged = (header: string, separator: string, value: (at: number) => string) =>
    `${header}\n${numbers(20)
      .map((at) => `A${at}${separator}${value(at)}${at < 10 ? `${separator}ok` : ''}\n`)
      .join('')}`;

  test.each([
    [';', 'artikel;preis;bemerkung', (at: number) => `${at},50`],
    ['\t', 'artikel\tpreis\tbemerkung', (at: number) => `${at},50`],
    ['|', 'artikel|preis|bemerkung', (at: number) => `${at},50`],
    [',', 'item,price,note', (at: number) => `${at};50`],
    [';', 'item;day;note', (at: number) => `April ${at}, 2023`],
    ['\t', 'item\tday\tnote', (at: number) => `April ${at}, 2023`],
  ])('%j, where rows lack trailing fields and hold another one', (separator, header, value) => {
    expect(detected(ragged(header, separator, value))).toEqual({
      ...{ separator, header: header.split(separator), headerRow: 1, skipped: 0 },
    });
  });

  test.each([
    ['names', 'name\nDoe, John\nRoe, Jane\nPoe, Ed\n'],
    ['places', 'full address\n12 Main St, Springfield\n3 High St, Porto\n'],
    ['decimals', 'price\n1,50\n2,25\n10,00\n'],
  ])('a column of %s with a comma each stays one column', (_, text) => {
    const [header] = text.split('\n');
    expect(detected(text)).toMatchObject({ header: [header], headerRow: 1, skipped: 0 });
  });

  test('a title above names and numbers is still one', () => {
    expect(detected('Sales of 2025\nid,amount\n1,2.50\n2,3.25\n')).toEqual({
      ...{ separator: ',', header: ['id', 'amount'], headerRow: 2, skipped: 1 },
    });
  });
});

describe('rows that lack trailing fields', () => {
  const text = 'a,b,c\n1,2,\n3,4\n5\n6,7,8\n';

  test('are bad, and the preview says that padding them would mend it', async () => {
    const preview = await lab.previewFile(await lab.upload(text));
    expect(preview.badRowsTotal).toBe(2);
    expect(preview.warnings).toEqual([
      { code: 'short_rows', count: 2, message: expect.stringContaining('short_rows') },
    ]);
    expect((await failureOf(imported(text))).reason).toBe('Expected 3 fields, found 2');
  });

  test.each(['\n', '\r\n'])('are padded with nulls where asked, with line ends %j', async (end) => {
    const options = { csv: { shortRows: 'pad' as const } };
    const source = await lab.upload(text.replaceAll('\n', end));
    const rows = [
      ['1', '2', null],
      ['3', '4', null],
      ['5', null, null],
      ['6', '7', '8'],
    ];
    const found = await lab.importFile(source, options);
    expect(found.rows).toEqual(rows);
    expect(found.staged.warnings).toEqual([
      { code: 'short_rows_padded', count: 2, message: expect.any(String) },
    ]);
    const preview = await lab.previewFile(source, options);
    expect([preview.badRowsTotal, preview.rows.length, preview.warnings[0]?.count]).toEqual([0, 4, 2]);
    expect(preview.detectedCsv?.shortRows).toBe('pad');
  });

  test('rows with too many fields stay bad', async () => {
    const found = await imported('a,b\n1\n2,3,4\n', { csv: { shortRows: 'pad' } }, true);
    expect(found.rows).toEqual([['1', null]]);
    expect(found.quarantined).toHaveLength(1);
  });
});

test('quotes within values are escaped by another character where that is said', async () => {
  const text = 'a,b\n"say \\"hi, you\\"",1\n"C:\\\\",2\n"doubled ""too""",3\n';
  const options = { csv: { escapeCharacter: '\\' } };
  const { rows } = await imported(text, options);
  expect(rows).toEqual([
    ['say "hi, you"', '1'],
    ['C:\\', '2'],
    ['doubled "too"', '3'],
  ]);
  const preview = await lab.previewFile(await lab.upload(text), options);
  expect([preview.rows[0], preview.badRowsTotal]).toEqual([['say "hi, you"', 1], 0]);
  expect(preview.detectedCsv).toMatchObject({ escapeCharacter: '\\', columnSeparator: ',' });
  expect((await failureOf(imported(text))).reason).toBeTruthy();
});

describe('an empty text in quotes is text, and an empty field null', () => {
  test.each([undefined, [], ['']])('with null_values %j', async (nullValues) => {
    const options = nullValues === undefined ? {} : { csv: { nullValues } };
    const { rows } = await imported('s_id,v\n1,""\n2,\n3,x\n', options);
    expect(rows).toEqual([
      ['1', ''],
      ['2', null],
      ['3', 'x'],
    ]);
  });

  test('columns of other types read both as null', async () => {
    const { columns, rows } = await imported('n,d,v\n1,2025-01-02,a\n"","",""\n,,\n');
    expect(columns).toEqual(['n INTEGER', 'd DATE', 'v STRING']);
    expect(rows).toEqual([
      ['1', '2025-01-02', 'a'],
      [null, null, ''],
      [null, null, null],
    ]);
    const columnMappings = [mapping('n', 'INTEGER'), mapping('d', 'DATE'), mapping('v', 'STRING')];
    expect((await imported('n,d,v\n1,2025-01-02,a\n"","",""\n,,\n', { columnMappings })).rows).toEqual(rows);
  });

  test('where every text is in quotes, an empty one is null', async () => {
    const { rows } = await imported('"a","b"\n"1",""\n"","x"\n');
    expect(rows).toEqual([
      ['1', null],
      [null, 'x'],
    ]);
  });

  test('in a column that is empty in the sample and later is not', async () => {
    const text = `a,b\n${'1,""\n'.repeat(30_000)}2,x\n`;
    const { columns, rows } = await imported(text);
    expect(columns).toEqual(['a INTEGER', 'b STRING']);
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([30_001, ['1', ''], ['2', 'x']]);
  });

  test('an empty line of one column is null between rows', async () => {
    expect((await imported('v\n""\n\nx\n\n\ny\n\n')).rows).toEqual([
      [''],
      [null],
      ['x'],
      [null],
      [null],
      ['y'],
    ]);
    const preview = await lab.previewFile(await lab.upload('v\n\n1\n'));
    expect(preview.rows).toEqual([[null], [1]]);
  });
});

describe('what was detected travels with a mapping', () => {
  test.each([
    ['25/12/2024', 'dd/MM/yyyy', '2024-12-25'],
    ['12/25/2024', 'MM/dd/yyyy', '2024-12-25'],
    ['25.12.2024', 'dd.MM.yyyy', '2024-12-25'],
  ])('%s as %s', async (date, dateFormat, iso) => {
    const source = await lab.upload(`Day,Name\n${date},x\n`);
    const { columns } = await lab.previewFile(source);
    expect(columns[0]).toMatchObject({ dataType: 'DATE', dateFormat });
    const renamed = mapping('Day', 'DATE', { targetColumnName: 'day', dateFormat });
    expect((await lab.importFile(source, { columnMappings: [renamed] })).rows).toEqual([[iso]]);
  });

  test('two columns with different formats, and a time', async () => {
    const source = await lab.upload('a,b\n25/12/2024,25.12.2024 10:30\n26/12/2024,26.12.2024 11:00\n');
    const { columns } = await lab.previewFile(source);
    expect(columns.map(({ dataType, dateFormat }) => [dataType, dateFormat])).toEqual([
      ['DATE', 'dd/MM/yyyy'],
      ['TIMESTAMP', 'dd.MM.yyyy HH:mm'],
    ]);
    const columnMappings = columns.map(({ sourceName, dataType, dateFormat }) =>
      mapping(sourceName, dataType, dateFormat === undefined ? {} : { dateFormat }),
    );
    expect((await lab.importFile(source, { columnMappings })).rows[0]).toEqual([
      '2024-12-25',
      '2024-12-25 10:30:00',
    ]);
  });
});

describe('codes of digits, a letter and digits are text', () => {
  test('unless something says that they are numbers', async () => {
    const { columns, rows } = await imported('code,number,mixed\n5E1,1.5E1,5E1\n12E5,2E+3,7\n');
    expect(columns).toEqual(['code STRING', 'number DOUBLE', 'mixed DOUBLE']);
    expect(rows[0]?.[0]).toBe('5E1');
    expect((await imported('code\n5E1\n1D3\n007\n')).rows).toEqual([['5E1'], ['1D3'], ['007']]);
  });
});

describe('control characters are text, and NUL is a bad row with its place', () => {
  test.each([0x01, 0x08, 0x0b, 0x1b, 0x1f])('0x%s', async (code) => {
    const character = String.fromCharCode(code);
    for (const count of [1, 2_000]) {
      const { rows } = await imported(`a,b\n${`1,x${character}y\n`.repeat(count)}`);
      expect([rows.length, rows[0]]).toEqual([count, ['1', `x${character}y`]]);
    }
  });

  test.each([
    ['a small file', 'a,b\n1,x\0y\n', {}, 2],
    ['a small file in another encoding', 'a,b\n1,x\0y\n', { charEncoding: 'windows-1252' }, 2],
    ['a small file in UTF-8', 'a,b\n1,x\0y\n', { charEncoding: 'UTF-8' }, 2],
    ['the end of a large file', `a,b\n${'1,row\n'.repeat(400_000)}9,x\0y\n`, {}, 400_002],
  ])('NUL in %s', async (_, text, csv, line) => {
    const failure = await failureOf(imported(text, { csv }));
    expect(failure).toMatchObject({ code: 'bad_row', line, reason: 'The record has a NUL character' });
  });

  test('NUL is quarantined, and in NDJSON too', async () => {
    const found = await imported('a,b\n1,x\0y\n2,z\n', {}, true);
    expect([found.rows, found.quarantined.length]).toEqual([[['2', 'z']], 1]);
    const source = await lab.upload('{"a":"x\\u0000y"}\n{"a":"z"}\n', 'ndjson');
    const json = await lab.importFile(source, {}, true);
    expect([json.rows, json.quarantined.length]).toEqual([[['z']], 1]);
  });

  test("content that isn't text is still refused", async () => {
    const bytes = Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7_919 + (at >> 3)) % 256));
    expect((await failureOf(imported(bytes))).code).toBe('not_text');
  });
});
