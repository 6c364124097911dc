import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BadFileError } from '../../src/bad-file.ts';
import { detectDialect } from '../../src/text/dialect.ts';
import { detectEncoding } from '../../src/text/encoding.ts';
import { columnNames } from '../../src/text/names.ts';
import { createSplitter } from '../../src/text/split.ts';
import { planMappings } from '../../src/values/plan.ts';
import { failureOf, type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const megabyte = (unit: string): string => unit.repeat(Math.ceil(1_000_000 / unit.length));

describe('a head of one megabyte is judged within the time of a test', () => {
  test.each<[string, string]>([
    ['digits and a letter', `${megabyte('9')}x`],
    ['groups and a letter', `${megabyte('1.000')}x`],
    ['points and a letter', `${megabyte('1.')}x,a\n`],
    ['one quote after the other', megabyte('"')],
    ['a quoted value that holds quotes only', `a,b\n"${megabyte('""')}`],
    ['quotes that are never closed', `a,b\n${megabyte('"x\n')}`],
    ['quotes that are never closed, and no other character', megabyte('"a\n')],
    ['quotes that are never closed before separators', megabyte('"a,b\n')],
    ['quotes that text follows', megabyte(',"x"y\n')],
    ['single quotes', megabyte("',")],
    ['spaces before quotes', megabyte(' "')],
    ['separators alone', `a,b\n${megabyte(',')}\n${'1,2\n'.repeat(990)}`],
    ['line ends alone', `a,b\n${megabyte('\r')}`],
  ])('%s', async (_, text) => {
    const bytes = Buffer.from(text);
    // Most of these are refused, which is fine as well.
    const judge = async (): Promise<unknown> => detectDialect(bytes, true, {});
    await judge().catch((error: unknown) => expect(error).toBeInstanceOf(BadFileError));
    const splitter = createSplitter(
      { separator: Buffer.from(','), quote: 34, skipLines: 0 },
      () => undefined,
    );
    splitter.write(bytes);
    splitter.end();
  });
});

test('a header of 100,000 digits and a letter is a name', async () => {
  const { columns } = await lab.importFile(await lab.upload(`${'9'.repeat(100_000)}x,b\n1,2\n`));
  expect(columns).toEqual([`${'9'.repeat(255)} INTEGER`, 'b INTEGER']);
});

test('thousands of equal names become unique, and are found by their mappings', () => {
  const names = columnNames([
    ...Array.from({ length: 50_000 }, () => 'a'),
    ...Array.from({ length: 50_000 }, () => 'x'.repeat(300)),
  ]);
  expect(names[49_999]).toBe('a_50000');
  expect(new Set(names).size).toBe(100_000);
  const some = names.slice(0, 20_000);
  const plan = planMappings(
    some,
    some.map((name) => mapping(` ${name.toUpperCase()}`, 'STRING')),
    { thousands: '', pattern: undefined },
  );
  expect(plan.map(({ source }) => source)).toEqual(some.map((_, index) => index));
});

describe('NULs in a file of ASCII', () => {
  test.each([
    'a\0,b\n',
    '1,\0\n'.repeat(100),
    'a,b\n1\0,2\n',
    '\0,a\n'.repeat(100),
    `id,name\n${'1,\0x\0y\n2,z\n'.repeat(50)}`,
  ])('do not make it UTF-16: %j', async (text) => {
    const bytes = Buffer.from(text);
    const isText = bytes.filter((byte) => byte === 0).length <= bytes.length / 5;
    expect(detectEncoding(bytes)).toBe(isText ? 'utf8' : undefined);
    const importing = lab.importFile(await lab.upload(text), {}, true);
    if (!isText) expect(await failureOf(importing)).toMatchObject({ code: 'not_text' });
    else {
      const { rows, quarantined } = await importing;
      const [, ...lines] = text.trimEnd().split('\n');
      expect(rows).toHaveLength(lines.filter((line) => !line.includes('\0')).length);
      expect(quarantined).toHaveLength(lines.length - rows.length);
    }
  });

  test.each(['id,name\n1,Müller\n', 'имя,n\nИван,10\nНет,20\n', 'なまえ,n\nさとう,100\nたなか,200\n'])(
    'are not what UTF-16 has: %j',
    (text) => {
      const bytes = Buffer.from(text, 'utf16le');
      expect(detectEncoding(bytes)).toBe('utf16le');
      expect(detectEncoding(bytes.swap16())).toBe('utf16be');
    },
  );

  test('late in a long file are refused, and the rows around them kept', async () => {
    const text = `a,b\n${'1,x\n'.repeat(300_000)}2,\0y\n3,z\n`;
    const { staged, rows } = await lab.importFile(await lab.upload(text), {}, true);
    expect([staged.table.rows, staged.quarantine?.rows]).toEqual([300_001, 1]);
    expect(rows.at(-1)).toEqual(['3', 'z']);
  });
});

describe('records of another shape', () => {
  test('are told with the number of their fields, and their own text', async () => {
    const bad: [string, number][] = [
      ['1', 1],
      ['1,2', 2],
      ['"x,y",2', 2],
      ['1,2,3,4', 4],
      ['1,,,,5,"6,6"', 6],
      [`1${',2'.repeat(5_000)}`, 5_001],
      ['"q""r",é', 2],
    ];
    const good = ['1,2,3', '4,5,', '7,8,9,,', '"x\ny",5,6,""'];
    const lines = bad.flatMap(([line], index) => [line, good[index % good.length]!]);
    const source = await lab.upload(`a,b,c\n${lines.join('\n')}\n`);
    const columnMappings = ['a', 'b', 'c'].map((name) => mapping(name, 'STRING'));
    const { rows, quarantined } = await lab.importFile(source, { columnMappings }, true);
    expect(rows).toHaveLength(bad.length);
    expect(quarantined.map(([, , raw, reason]) => [raw, reason])).toEqual(
      bad.map(([line, fields]) => [line, `Expected 3 fields, found ${fields}`]),
    );
    const { badRows, totalRows } = await lab.previewFile(
      source,
      { columnMappings },
      { pageNumber: 2, pageSize: 2 },
    );
    expect([badRows, totalRows]).toEqual([
      [{ line: 4, column: null, raw: '1,2', reason: 'Expected 3 fields, found 2' }],
      2 * bad.length,
    ]);
    expect(await failureOf(lab.importFile(source, { columnMappings }))).toMatchObject({
      code: 'bad_row',
      line: 2,
      raw: '1',
      reason: 'Expected 3 fields, found 1',
    });
  });

  test.each<[string, string, number]>([
    [
      'short ones of a wide file',
      `${Array.from({ length: 2_000 }, (_, index) => `c${index}`).join(',')}\n${'1\n'.repeat(20_000)}`,
      20_000,
    ],
    ['ones of half a million fields', `a,b\n1,2\n${`1${',1'.repeat(1_000_000)}\n`.repeat(5)}`, 5],
  ])('cost no more than others: %s', async (_, text, count) => {
    const source = await lab.upload(text);
    const options = { csv: { headerRow: 1 } };
    const { staged } = await lab.importFile(source, options, true);
    expect(staged.quarantine?.rows).toBe(count);
    expect((await lab.previewFile(source, options)).badRows.length).toBe(Math.min(count, 50));
  });
});

test('large bad records are all quarantined', async () => {
  const bad = Array.from({ length: 5 }, (_, index) => `${String(index).padStart(200_000, 'x')},1`);
  const source = await lab.upload(`a,b\n1,1\n${bad.join('\n')}\n2,1\n`);
  const columnMappings = [mapping('a', 'INTEGER'), mapping('b', 'INTEGER')];
  const { staged } = await lab.importFile(source, { columnMappings }, true);
  expect([staged.table.rows, staged.quarantine?.rows]).toEqual([2, 5]);
});
