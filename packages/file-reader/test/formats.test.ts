import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { xlsxFile, zipFile } from '../../../test/support/xlsx-file.ts';
import { failureOf, type Lab, mapping, openLab } from './lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

describe('JSON', () => {
  const upload = async (text: string) => lab.upload(text, 'json');

  test('numbers keep their digits, and a key missing in an object is null', async () => {
    const text = `[{"a": 9007199254740993, "b": 0.12345678901234567890123456789, "c": {"n": 12345678901234567890}},
      {"b": 1, "late": ["x"], "a": null}]`;
    const { columns, rows } = await lab.importFile(await upload(text));
    expect(columns).toEqual(['a INTEGER', 'b DECIMAL(38,29)', 'c JSON', 'late JSON']);
    expect(rows).toEqual([
      ['9007199254740993', '0.12345678901234567890123456789', '{"n":12345678901234567890}', null],
      [null, '1.00000000000000000000000000000', null, '["x"]'],
    ]);
  });

  test('columns are in the order of their keys, with a value or without', async () => {
    const source = await upload('[{"a":1,"b":null,"c":2},{"d":null,"b":"x","e":3}]');
    expect((await lab.importFile(source)).columns.map((column) => column[0])).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
  });

  test('strings are never numbers, but dates', async () => {
    const { columns } = await lab.importFile(
      await upload('[{"a":"5","b":"2024-01-31","c":true,"d":1,"e":"x"},{"d":"y"}]'),
    );
    expect(columns).toEqual(['a STRING', 'b DATE', 'c BOOLEAN', 'd STRING', 'e STRING']);
  });

  test('one object is one row', async () => {
    expect((await lab.importFile(await upload(' {"a": "x,\\"y\\"\\n", "b": {}} '))).rows).toEqual([
      ['x,"y"\n', '{}'],
    ]);
  });

  test('bad records are named, several on one line too', async () => {
    const source = await upload('[{"a":1},{"a":2},\n5,{"a":"x"},{"a":3}]');
    const { rows, quarantined } = await lab.importFile(
      source,
      { columnMappings: [mapping('a', 'INTEGER')] },
      true,
    );
    expect(rows).toEqual([['1'], ['2'], ['3']]);
    expect(quarantined).toEqual([
      ['2', null, '5', "The record isn't a JSON object"],
      ['2', 'a', '{"a":"x"}', '"x" does not fit INTEGER'],
    ]);
  });

  test.each(['[{"a":1},', '{"a":1', '[{"a":1}] x', 'hello', '[{"a":1},]', '{"a":1}\n{"a":2}'])(
    '%j is refused',
    async (text) => {
      expect(await failureOf(lab.importFile(await upload(text)))).toMatchObject({ code: 'malformed_file' });
    },
  );

  test('mapped columns are typed as the mapping says', async () => {
    const columnMappings = [mapping('a', 'JSON'), mapping('b', 'DECIMAL(5,2)'), mapping('c', 'STRING')];
    const source = await upload('[{"a":"text","b":1.25,"c":{"k":1}},{"a":[1],"b":"2.5","c":7}]');
    expect((await lab.importFile(source, { columnMappings })).rows).toEqual([
      ['"text"', '1.25', '{"k":1}'],
      ['[1]', '2.50', '7'],
    ]);
  });
});

describe('NDJSON', () => {
  test('is one object a line, blank lines aside', async () => {
    const { columns, rows } = await lab.importFile(await lab.upload('{"a":1}\r\n\r\n{"b":2.5}\n', 'ndjson'));
    expect([columns, rows]).toEqual([
      ['a INTEGER', 'b DOUBLE'],
      [
        ['1', null],
        [null, 2.5],
      ],
    ]);
  });

  test('a bad line is named by its number', async () => {
    const failure = await failureOf(lab.importFile(await lab.upload('{"a":1}\n{"a":2\n{"a":3}\n', 'ndjson')));
    expect(failure).toMatchObject({
      code: 'bad_row',
      line: 2,
      raw: '{"a":2',
      reason: "The record isn't valid JSON",
    });
  });
});

describe('XLSX', () => {
  test('the first sheet is read with its dates, texts and gaps', async () => {
    const file = xlsxFile({
      sharedStrings: ['id', 'name', 'day', 'at', 'Müller &amp; Söhne'],
      formats: [0, 14, 22],
      rows: `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c></row>
        <row r="2"><c r="A2"><v>1</v></c><c r="B2" t="s"><v>4</v></c><c r="C2" s="1"><v>45322</v></c><c r="D2" s="2"><v>45322.5</v></c></row>
        <row r="4"><c r="A4"><v>2</v></c><c r="B4" t="inlineStr"><is><t>00123</t></is></c><c r="D4" s="2"><v>45323</v></c></row>`,
    });
    const { columns, rows } = await lab.importFile(await lab.upload(file, 'xlsx'));
    expect(columns).toEqual(['id INTEGER', 'name STRING', 'day DATE', 'at TIMESTAMP']);
    expect(rows).toEqual([
      ['1', 'Müller & Söhne', '2024-01-31', '2024-01-31 12:00:00'],
      ['2', '00123', null, '2024-02-01 00:00:00'],
    ]);
  });

  test('a bad cell is named by its row', async () => {
    const rows =
      '<row r="1"><c t="str"><v>a</v></c></row><row r="2"><c><v>1</v></c></row><row r="9"><c><v>1.5</v></c></row>';
    const source = await lab.upload(xlsxFile({ rows }), 'xlsx');
    const failure = await failureOf(lab.importFile(source, { columnMappings: [mapping('a', 'INTEGER')] }));
    expect(failure).toMatchObject({ code: 'bad_row', line: 9, column: 'a', raw: '1.5' });
  });

  test.each<[string, () => Buffer, string]>([
    ['a zip that is no workbook', () => zipFile({ a: 'b' }), 'malformed_file'],
    ['no zip', () => Buffer.alloc(1_000, 7), 'malformed_file'],
    ['half a workbook', () => xlsxFile({ rows: '' }).subarray(0, 300), 'malformed_file'],
    ['a zip bomb', () => xlsxFile({ rows: '<x/>'.repeat(20_000_000) }), 'too_large'],
  ])('%s is refused', async (_, make, code) => {
    expect(await failureOf(lab.importFile(await lab.upload(make(), 'xlsx')))).toMatchObject({ code });
  });
});
