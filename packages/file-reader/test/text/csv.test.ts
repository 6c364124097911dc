import iconv from 'iconv-lite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

describe('dialects', () => {
  const expected = [
    ['1', 'Müller, "Jo"', '2'],
    ['2', 'a\nb', null],
  ];
  const text = 'id,name,n\n1,"Müller, ""Jo""",2\n2,"a\nb",\n';

  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 LE', Buffer.from(text, 'utf16le')],
    ['UTF-16 BE with a mark', iconv.encode(text, 'utf16be', { addBOM: true })],
    ['UTF-16 BE', iconv.encode(text, 'utf16be')],
    ['Windows-1252', Buffer.from(text, 'latin1')],
    ['no line end at the end', Buffer.from(text.trimEnd())],
    ['empty lines at the end', Buffer.from(`${text}\n\n\n`)],
  ])('are detected: %s', async (_, bytes) => {
    const { columns, rows } = await lab.importFile(await lab.upload(bytes));
    expect(columns).toEqual(['id INTEGER', 'name STRING', 'n INTEGER']);
    expect(rows).toEqual(expected);
  });

  test.each([
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('line ends are detected: %s', async (_, end) => {
    const source = await lab.upload(`id,name${end}1,x${end}2,"y, z"${end}`);
    expect((await lab.importFile(source)).rows).toEqual([
      ['1', 'x'],
      ['2', 'y, z'],
    ]);
  });

  test('line ends may be mixed', async () => {
    const { rows } = await lab.importFile(await lab.upload('a,b\r\n1,x\n2,y\r3,z\r\n'));
    expect(rows).toEqual([
      ['1', 'x'],
      ['2', 'y'],
      ['3', 'z'],
    ]);
  });

  test.each([[';'], ['\t'], ['|'], [',']])('the separator %j is detected', async (separator) => {
    const text = [
      ['id', 'name'],
      ['1', 'x, y; z'],
      ['2', 'u'],
    ]
      .map((fields) => fields.map((field) => `"${field}"`).join(separator))
      .join('\n');
    expect((await lab.importFile(await lab.upload(text))).rows).toEqual([
      ['1', 'x, y; z'],
      ['2', 'u'],
    ]);
  });

  test('any IANA encoding, quote and separator can be given', async () => {
    const bytes = iconv.encode("№§имя\n1§'§ ''да'''\n", 'utf8');
    const given = { columnSeparator: '§', quoteCharacter: "'", charEncoding: 'UTF_8' };
    expect((await lab.importFile(await lab.upload(bytes), { csv: given })).rows).toEqual([['1', "§ 'да'"]]);
    const cyrillic = await lab.upload(iconv.encode('имя;n\nда;1\n', 'koi8-r'));
    expect((await lab.importFile(cyrillic, { csv: { charEncoding: 'KOI8_R' } })).rows).toEqual([['да', '1']]);
    const japanese = await lab.upload(iconv.encode('名;n\n表;1\n', 'shift_jis'));
    expect((await lab.importFile(japanese, { csv: { charEncoding: 'SHIFT_JIS' } })).rows).toEqual([
      ['表', '1'],
    ]);
  });

  test('a preamble is skipped, and header and first data row can be given', async () => {
    const source = await lab.upload('Report of May\n\nid;name\n1;x\n2;y\n');
    expect((await lab.importFile(source)).columns).toEqual(['id INTEGER', 'name STRING']);
    const units = await lab.upload('made by x\nid,"na\nme"\n(no),(text)\n1,x\n');
    const given = await lab.importFile(units, { csv: { headerRow: 2, firstDataRow: 5 } });
    expect([given.columns, given.rows]).toEqual([['id INTEGER', 'na me STRING'], [['1', 'x']]]);
  });

  test('a file without a header has numbered columns', async () => {
    const detected = await lab.importFile(await lab.upload('1,x\n2,y\n'));
    expect([detected.columns, detected.rows.length]).toEqual([['column1 INTEGER', 'column2 STRING'], 2]);
    const given = await lab.importFile(await lab.upload('a,b\nc,d\n'), { csv: { headerRow: 0 } });
    expect([given.columns, given.rows.length]).toEqual([['column1 STRING', 'column2 STRING'], 2]);
  });

  test('empty and repeated header names become unique', async () => {
    const { columns } = await lab.importFile(await lab.upload('a,A,,a,_load_date\n1,2,3,4,5\n'), {
      includeLoadDate: true,
    });
    const names = ['a', 'A_2', 'column3', 'a_3', '_load_date_2', '_load_date'];
    expect(columns.map((column) => column.split(' ')[0])).toEqual(names);
  });

  test('null values are the empty field, or those given', async () => {
    const source = await lab.upload('a,b\n"",x\n,y\nNA,z\n');
    expect((await lab.importFile(source)).rows.map(([a]) => a)).toEqual(['', null, 'NA']);
    const given = await lab.importFile(source, { csv: { nullValues: ['NA', ','] } });
    expect(given.rows.map(([a]) => a)).toEqual(['', null, null]);
    // Without an empty text in quotes, nothing says that an empty field is null.
    const bare = await lab.importFile(await lab.upload('a,b\n,y\nNA,z\n'), { csv: { nullValues: ['NA'] } });
    expect(bare.rows.map(([a]) => a)).toEqual(['', null]);
  });

  test('one column is enough', async () => {
    expect((await lab.importFile(await lab.upload('n\n1\n2\n\n'))).rows).toEqual([['1'], ['2']]);
  });
});

describe('bad rows', () => {
  const text = 'a,b\r\n1,"x\r\ny"\r\n2,z\r\nq,w\r\n3,u,5\r\n4\r\n6,"un\r\n7,v\r\n';
  const columnMappings = [mapping('a', 'INTEGER'), mapping('b', 'STRING')];

  test('the first one fails the import by line, column, raw text and reason, and nothing stays', async () => {
    const prefixUrl = `${lab.prefixUrl}failing/`;
    const failure = await failureOf(lab.importFile(await lab.upload(text), { columnMappings }));
    expect(failure).toEqual({
      code: 'bad_row',
      message: 'Line 5, column "a": "q" does not fit INTEGER.',
      line: 5,
      column: 'a',
      raw: 'q,w',
      reason: '"q" does not fit INTEGER',
    });
    expect(await lab.list(prefixUrl)).toEqual([]);
  });

  test('are quarantined, one row a record with all its text', async () => {
    const { staged, rows, quarantined } = await lab.importFile(
      await lab.upload(text),
      { columnMappings },
      true,
    );
    expect(rows).toEqual([
      ['1', 'x\r\ny'],
      ['2', 'z'],
      ['7', 'v'],
    ]);
    expect(quarantined).toEqual([
      ['5', 'a', 'q,w', '"q" does not fit INTEGER'],
      ['6', null, '3,u,5', 'Expected 2 fields, found 3'],
      ['7', null, '4', 'Expected 2 fields, found 1'],
      ['8', null, '6,"un', "A quoted value isn't closed"],
    ]);
    expect(staged.quarantine?.columns.map(({ name, dataType }) => `${name} ${dataType}`)).toEqual([
      'line INTEGER',
      'column STRING',
      'raw STRING',
      'reason STRING',
    ]);
  });

  test('a broken row 300,000 is named', async () => {
    const lines = Array.from({ length: 300_000 }, (_, index) => `${index},"row ${index}"`);
    lines[299_998] = '299998,"row" 299998';
    const failure = await failureOf(lab.importFile(await lab.upload(`id,name\n${lines.join('\n')}\n`)));
    expect(failure).toMatchObject({ code: 'bad_row', line: 300_000, raw: '299998,"row" 299998' });
  });

  test('bytes that are no characters make their row bad, in UTF-8 and elsewhere', async () => {
    const utf8 = Buffer.concat([
      Buffer.from('a,b\né,1\n'),
      Buffer.from([0xff, 0x2c, 0x32]),
      Buffer.from('\nx,3\n'),
    ]);
    const first = await lab.importFile(await lab.upload(utf8), {}, true);
    expect(first.rows).toEqual([
      ['é', '1'],
      ['x', '3'],
    ]);
    expect(first.quarantined.map(([line, column]) => [line, column])).toEqual([['3', 'a']]);
    const windows = await lab.upload(Buffer.from('a,b\nx,1\n\x81,2\n', 'latin1'));
    const failure = await failureOf(lab.importFile(windows, { csv: { charEncoding: 'WINDOWS_1252' } }));
    expect(failure).toMatchObject({ code: 'bad_row', line: 3, column: 'a' });
  });

  test('bytes that are no characters in a column that is not mapped do no harm', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a,b,é,d\n1,2,3,4\n1,2,'),
      Buffer.from([0xff]),
      Buffer.from(',4\n'),
    ]);
    for (const columns of [['d'], ['b', 'a'], ['d', 'é']]) {
      const columnMappings = columns.map((name) => mapping(name, 'STRING'));
      const failure = await failureOf(lab.importFile(await lab.upload(bytes), { columnMappings }));
      expect(failure).toMatchObject({ code: 'bad_row', line: 3, column: 'é' });
    }
  });

  test('a file that turns out not to be UTF-8 late is read as Windows-1252', async () => {
    const lines = Array.from({ length: 150_000 }, (_, index) => `${index},plain text`).join('\n');
    const { rows } = await lab.importFile(
      await lab.upload(Buffer.from(`id,t\n${lines}\n150000,café\n`, 'latin1')),
    );
    expect(rows.at(-1)).toEqual(['150000', 'café']);
  });

  test('nulls and repeated values are bad where a mapping says so', async () => {
    const source = await lab.upload('k,v\n1,a\n2,\n1,b\nx,c\n,d\n');
    const mapped = [mapping('k', 'INTEGER', { unique: true }), mapping('v', 'STRING', { nullable: false })];
    const { rows, quarantined } = await lab.importFile(source, { columnMappings: mapped }, true);
    expect(rows).toEqual([
      ['1', 'a'],
      [null, 'd'],
    ]);
    expect(quarantined).toEqual([
      ['3', 'v', '2,', 'The value is empty, and the column is not nullable'],
      ['4', 'k', '1,b', '"1" repeats line 2, and the column is unique'],
      ['5', 'k', 'x,c', '"x" does not fit INTEGER'],
    ]);
  });

  test('a mapping is a projection, and a missing source column fails only when required', async () => {
    const source = await lab.upload('a,b\n1,x\n');
    const optional = mapping('c', 'DATE', { required: false });
    const { columns, rows } = await lab.importFile(source, {
      columnMappings: [mapping('B', 'STRING'), optional],
    });
    expect([columns, rows]).toEqual([['B STRING', 'c DATE'], [['x', null]]]);
    const failure = await failureOf(lab.importFile(source, { columnMappings: [mapping('c', 'DATE')] }));
    expect(failure).toMatchObject({ code: 'missing_column', column: 'c' });
  });
});

describe('hostile files', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 'empty_file'],
    ['binary', Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256)), 'not_text'],
    [
      'too many columns',
      Buffer.from(`${Array.from({ length: 2_500 }, (_, index) => `c${index}`).join(',')}\n`),
      'too_many_columns',
    ],
  ])('%s', async (_, bytes, code) => {
    expect(await failureOf(lab.importFile(await lab.upload(bytes)))).toMatchObject({ code });
  });

  test('one endless line is one bad row', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a,b\n1,2\n'),
      Buffer.alloc(60_000_000, 97),
      Buffer.from('\n3,4\n'),
    ]);
    const { rows, quarantined } = await lab.importFile(await lab.upload(bytes), {}, true);
    expect(rows).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
    expect(quarantined.map(([line]) => line)).toEqual(['3']);
  });

  test('a quote that is never closed costs its line only', async () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `${index},x`);
    lines[10] = '10,"x';
    const { rows, quarantined } = await lab.importFile(
      await lab.upload(`a,b\n${lines.join('\n')}\n`),
      {},
      true,
    );
    expect(rows).toHaveLength(199_999);
    expect(quarantined).toEqual([['12', null, '10,"x', "A quoted value isn't closed"]]);
  });
});
