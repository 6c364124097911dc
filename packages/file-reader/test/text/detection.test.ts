import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CsvOptions } from '../../src/contract.ts';
import { detectDialect } from '../../src/text/dialect.ts';
import { type Lab, openLab } from '../lab.ts';

/** What detection finds in a file: separator, names, header row, first data row, and the skipped lines. */
function detected(text: string, options: CsvOptions = {}) {
  const found = detectDialect(Buffer.from(text), true, options);
  const { separator, header, headerRow, firstDataRow, skipped } = found;
  return { separator, header, rows: [headerRow, firstDataRow], skipped: skipped.map(({ line }) => line) };
}

const plain = (header: string[], separator = ',') => ({ separator, header, rows: [1, 2], skipped: [] });

describe('separators', () => {
  test.each<[string, string, string[]]>([
    ['URLs', 'url\nhttps://a.example/x\nhttps://b.example/y?a=1,2\nhttps://c.example\n', ['url']],
    ['times', 'time\n10:30\n10:45\n11:00\n', ['time']],
    ['carets and tildes', 'term\na^2\nb^2\nc~d\n', ['term']],
    ['sentences', 'note\nyes\nwell, no\nno\nperhaps\n', ['note']],
  ])('are not seen in a column of %s', (_, text, header) => {
    expect(detected(text)).toEqual(plain(header));
  });

  test.each(['^', '~', ':', '#'])('%j separates where it is given', (separator) => {
    const text = `a${separator}b\n1${separator}2\n`;
    expect(detected(text, { columnSeparator: separator })).toEqual(plain(['a', 'b'], separator));
  });

  test('decimal commas do not separate', () => {
    expect(detected('1,5;2,5\n3,5;4,5\n')).toMatchObject({ separator: ';', rows: [0, 1] });
  });

  test.each(['sep=;', '"sep=;"', 'SEP=;'])('%s is obeyed, told and no header', (line) => {
    const text = `${line}\r\na;b,c\r\n1;2,3\r\n`;
    const found = { separator: ';', header: ['a', 'b,c'], rows: [2, 3], skipped: [1] };
    expect(detected(text)).toEqual(found);
    expect(detected(`${line}\n1;2\n3;4\n`)).toMatchObject({ separator: ';', rows: [0, 2], skipped: [1] });
    expect(detected(text, { columnSeparator: ',' })).toMatchObject({ separator: ',', rows: [2, 3] });
    expect(detected(text, { headerRow: 1 })).toMatchObject({ rows: [1, 2], skipped: [] });
  });

  test.each<[CsvOptions, string, object]>([
    [{ quoteCharacter: ',' }, 'a;b,c\n1;2,3\n', { separator: ';', quote: ',' }],
    [{ quoteCharacter: ',' }, 'a\n1\n', { separator: ';', quote: ',' }],
    [{ columnSeparator: '"' }, 'a"b\n1"2\n', { separator: '"', quote: "'" }],
    [{ columnSeparator: "'" }, "a'b\n1'2\n", { separator: "'", quote: '"' }],
    [{ columnSeparator: '"', thousands: "'" }, 'a"b\n1"2\n', { separator: '"', quote: undefined }],
    [{ thousands: ',' }, 'a;b\n1,000;2\n', { separator: ';', thousands: ',' }],
    [{ thousands: ',' }, 'a\n1\n', { separator: ';', thousands: ',' }],
  ])('with %j nothing that is detected has a second meaning', (options, text, found) => {
    expect(detectDialect(Buffer.from(text), true, options)).toMatchObject(found);
  });

  test.each<[CsvOptions, string, string]>([
    [{ quoteCharacter: ',' }, 'a,b\n1,2\n', 'quote_separates_columns'],
    [{ quoteCharacter: ';' }, 'sep=;\na;b\n1;2\n', 'quote_separates_columns'],
    [{ thousands: ',' }, 'a,b\n1,"2,000"\n', 'thousands_separates_columns'],
    [{ thousands: ';' }, 'sep=;\na;b\n1;2\n', 'thousands_separates_columns'],
  ])('%j is refused where the columns are separated by it', (options, text, code) => {
    expect(() => detectDialect(Buffer.from(text), true, options)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code }) }),
    );
  });

  test('single quotes are seen though some values have double ones', () => {
    const text = "a,b\n1,'x, 8\"'\n2,'y, \"z\"'\n3,'w, v'\n";
    expect(detectDialect(Buffer.from(text), true, {}).quote).toBe("'");
  });
});

describe('a header', () => {
  test.each<[string, string]>([
    ['over short rows', 'a,b,c\n1,2,3\n4,5\n6,7\n8,9\n'],
    ['over short rows of texts', 'a,b,c\nx,y,z\nx,y\nx,w\nu,v\n'],
    ['with an empty name too many in front', ',a,b,c\n1,x,2\n3,y,4\n'],
    ['with an empty name too many at the end', 'a,b,c,\n1,x,2\n3,y,4\n'],
    ['with a quote that is not closed', '"a,b,c\n1,x,2\n3,y,4\n'],
  ])('is kept %s', (_, text) => {
    expect(detected(text)).toMatchObject({ rows: [1, 2], separator: ',' });
    expect(detected(text).header.map((name) => name.replace('"', ''))).toEqual(['a', 'b', 'c']);
  });

  test('keeps its names where a separator ends every row', () => {
    const text = 'a,b,c\n1,2,3,\n4,5,6,\n';
    const found = { separator: ',', header: ['a', 'b', 'c', ''], rows: [1, 2], skipped: [1] };
    expect(detected(text)).toEqual(found);
    expect(detected(text, { headerRow: 1, firstDataRow: 2 })).toEqual(found);
  });

  test('that names fewer columns than have values is no header, and nothing is skipped', () => {
    expect(detected('a,b\n1,2,3\n4,5,6\n')).toMatchObject({ rows: [0, 1], skipped: [] });
  });

  test('may have years, an empty name, or a number among its names', () => {
    expect(detected('country,2019,2020\nA,1.5,2\nB,3,4\n')).toEqual(plain(['country', '2019', '2020']));
    expect(detected('q1,q2\nA1,B2\nA3,B1\n')).toEqual(plain(['q1', 'q2']));
    expect(detected(',name\n0,Bob\n1,Eve\n')).toEqual(plain(['', 'name']));
    expect(detected('id,day,7\n1,2024-01-01,x\n2,2024-01-02,y\n')).toEqual(plain(['id', 'day', '7']));
  });

  test('that comes twice is told, and no record', () => {
    const found = detectDialect(Buffer.from('id,name\nid,name\n1,x\n'), true, {});
    expect([found.headerRow, found.firstDataRow]).toEqual([1, 3]);
    expect(found.skipped).toEqual([{ line: 2, reason: 'The line repeats the header' }]);
  });

  test.each<[string, string]>([
    ['values of the kinds below', 'MG-8769,$74.69,x\nRI-1,$2.50,y\nAB-22,$3.99,z\n'],
    ['times', '10:30,x\n10:45,y\n'],
    ['texts that come again', 'Bob,Rome\nEve,Paris\nAnn,Rome\n'],
    ['a text that comes again alone', 'x\ny\nx\n'],
    ['a missing value', 'NA,x\n1,y\n2,z\n'],
    ['as many names as values', 'unknown,5\n3,6\n4,7\n'],
  ])('is not made of the first record: %s', (_, text) => {
    expect(detected(text)).toMatchObject({ rows: [0, 1], skipped: [] });
  });
});

describe('lines before the header', () => {
  test.each<[string, string, number[], number[]]>([
    ['narrower', 'Report of May\n\nid;name\n1;x\n2;y\n', [3, 4], [1]],
    ['as wide as the table', 'PREAMBLE,,\n,,\nid,name,n\n1,x,2\n3,y,4\n', [3, 4], [1, 2]],
    ['groups of columns', 'Who,,When\nid,name,day\n1,x,2024-01-01\n2,y,2024-01-02\n', [2, 3], [1]],
    ['comments', '# made by x\n# 1, 2, 3\n# a,b\nid,n\n1,2\n3,4\n', [4, 5], [1, 2, 3]],
    ['wider', 'Report, for x, of May\nid,n\n1,2\n3,4\n', [2, 3], [1]],
  ])('are told: %s', (_, text, rows, skipped) => {
    expect(detected(text)).toMatchObject({ rows, skipped });
  });

  test('are told with a reason, and none where the options say where the header is', () => {
    const text = 'Report of May\nid,name,n\n1,x,2\n';
    expect(detectDialect(Buffer.from(text), true, {}).skipped).toEqual([
      { line: 1, reason: 'Before the header: only 1 of 3 columns have a text' },
    ]);
    expect(detected(text, { headerRow: 2 })).toMatchObject({ rows: [2, 3], skipped: [] });
  });

  test('are records where no header follows and they could be', () => {
    expect(detected('x,,\n1,2,3\n4,5,6\n')).toMatchObject({ rows: [0, 1], skipped: [] });
    expect(detected('1,2\n3,4,5\n6,7,8\n')).toMatchObject({ rows: [0, 1], skipped: [] });
    expect(detected('yes,no\n'.repeat(10))).toMatchObject({ rows: [1, 2], skipped: [] });
    const wide = 'p,q,r\n'.repeat(200);
    expect(detected(`${'x,y\n'.repeat(50)}${wide}`)).toMatchObject({ rows: [0, 1], skipped: [] });
  });
});

describe('several tables in one file', () => {
  const table = (names: string, row: string): string => `${names}\n${`${row}\n`.repeat(20)}`;

  test.each([
    ['more', 'a,b,c', '1,x,2'],
    ['fewer', 'a', '1'],
  ])('the first one is read, the other of %s columns is refused by name', (_, names, row) => {
    expect(detected(table('a,b', '1,x') + table(names, row))).toEqual(plain(['a', 'b']));
  });
});

describe('through an import', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab();
  });
  afterAll(() => lab.close());

  test('short rows are bad rows, and every line is a row, a bad row or told', async () => {
    const source = await lab.upload('Report\na,b,c\n1,2,3\n4,5\n6,7\n');
    const { columns, rows, badRows, detectedCsv } = await lab.previewFile(source);
    expect(columns.map(({ sourceName }) => sourceName)).toEqual(['a', 'b', 'c']);
    expect(rows).toEqual([[1, 2, 3]]);
    expect(badRows.map(({ line, reason }) => [line, reason])).toEqual([
      [4, 'Expected 3 fields, found 2'],
      [5, 'Expected 3 fields, found 2'],
    ]);
    expect(detectedCsv?.skippedLines.map(({ line }) => line)).toEqual([1]);
  });

  test.each(['dd/MM/yyyy', '%d/%m/%Y', 'dd/MM/yyyy HH:mm'])(
    'a date format %s leaves other types alone',
    async (dateFormat) => {
      const source = await lab.upload('id,v,day,ok,t\n1,1.5,31/12/2024,true,x\n2,2.5,01/02/2025,false,y\n');
      const { columns, rows } = await lab.previewFile(source, { csv: { dateFormat } });
      expect(columns.map(({ dataType }) => dataType)).toEqual([
        'INTEGER',
        'DOUBLE',
        'DATE',
        'BOOLEAN',
        'STRING',
      ]);
      expect(rows[0]).toEqual([1, 1.5, '2024-12-31', true, 'x']);
      expect((await lab.importFile(source, { csv: { dateFormat } })).columns[0]).toBe('id INTEGER');
    },
  );

  test('a broken header costs no record', async () => {
    const { columns, rows } = await lab.importFile(await lab.upload('a,"b\n1,"x"\n2,"y"\n'));
    expect([columns, rows]).toEqual([
      ['a INTEGER', '"b STRING'],
      [
        ['1', 'x'],
        ['2', 'y'],
      ],
    ]);
  });
});
