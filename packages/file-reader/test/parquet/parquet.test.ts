import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { typedColumn } from '../../src/parquet/types.ts';
import { failureOf, type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

describe('Parquet', () => {
  const typed = `SELECT 1::TINYINT AS a, 18446744073709551615::UBIGINT AS b, 0.1::FLOAT AS c, 1.25::DECIMAL(10,2) AS d,
    [1, 2] AS e, {'k': 'v'} AS f, TIMESTAMPTZ '2024-01-31 10:00:00Z' AS g, TIMESTAMP_NS '2024-01-31 10:00:00' AS h, 'x' AS i`;

  test('comes as typed, what is nested as JSON', async () => {
    const { columns, rows } = await lab.importFile(await lab.upload(await lab.parquet(typed), 'parquet'));
    expect(columns).toEqual([
      'a INTEGER',
      'b DECIMAL(20,0)',
      'c DOUBLE',
      'd DECIMAL(10,2)',
      'e JSON',
      'f JSON',
      'g TIMESTAMPTZ',
      'h TIMESTAMP',
      'i STRING',
    ]);
    expect(rows[0]?.slice(3)).toEqual([
      '1.25',
      '[1,2]',
      '{"k":"v"}',
      '2024-01-31 10:00:00+00',
      '2024-01-31 10:00:00',
      'x',
    ]);
  });

  test('lists of decimals are JSON with all digits, and a decimal stays one', async () => {
    const source = await lab.parquet(
      'SELECT [1.10, 99999999999999999999999999999999999.10]::DECIMAL(38,2)[] AS a, 1.5::DECIMAL(4,2) AS b',
    );
    const { columns, rows } = await lab.importFile(await lab.upload(source, 'parquet'));
    expect(columns).toEqual(['a JSON', 'b DECIMAL(4,2)']);
    expect(rows).toEqual([['[1.10,99999999999999999999999999999999999.10]', '1.50']]);
    expect(typedColumn('a', "ENUM('x', 'y]')[]").dataType).toBe('JSON');
    expect(typedColumn('a', "ENUM('x', 'y]')").dataType).toBe('STRING');
  });

  test('NaN and infinities are strings at any depth, and texts that only look so are as they were', async () => {
    const source = await lab.upload(
      await lab.parquet(`SELECT ['nan', 'inf', '-inf', '0.5']::DOUBLE[] AS document,
        MAP {'a:NaN,': [{'x"NaN,': 'nan'::FLOAT, 'y': 'Infinity,\\"'}]} AS piece, NULL::DOUBLE[] AS none`),
      'parquet',
    );
    const expected = [
      ['NaN', 'Infinity', '-Infinity', 0.5],
      { 'a:NaN,': [{ 'x"NaN,': 'NaN', y: 'Infinity,\\"' }] },
      null,
    ];
    const columnMappings = ['document', 'piece', 'none'].map((name) => mapping(name, 'JSON'));
    for (const options of [{}, { columnMappings }]) {
      const { columns, rows } = await lab.importFile(source, options);
      expect(columns).toEqual(['document JSON', 'piece JSON', 'none JSON']);
      expect(rows[0]?.map((json) => JSON.parse(String(json)))).toEqual(expected);
      const preview = await lab.previewFile(source, options);
      expect(JSON.parse(JSON.stringify(preview.rows[0]))).toEqual(expected);
    }
  });

  test('nothing is looked for in nested types without floating-point numbers', () => {
    expect(typedColumn('a', 'BIGINT[]').value).toBe('CAST(to_json("a") AS JSON)');
  });

  test("a column by the name of the reader's own is refused", async () => {
    const source = await lab.upload(await lab.parquet('SELECT 1 AS a, 2 AS File_Row_Number'), 'parquet');
    expect(await failureOf(lab.importFile(source))).toMatchObject({ code: 'unsupported_column' });
  });

  test('comes as mapped, and a row that does not fit is named', async () => {
    const source = await lab.upload(
      await lab.parquet("SELECT i AS n, i / 4 AS q, 'v' || i AS s FROM range(4) AS t(i)"),
      'parquet',
    );
    const columnMappings = [mapping('q', 'INTEGER'), mapping('s', 'STRING', { targetColumnName: 'text' })];
    const { rows, quarantined } = await lab.importFile(source, { columnMappings }, true);
    expect(rows).toEqual([['0', 'v0']]);
    expect(quarantined.map(([line, column]) => [line, column])).toEqual([
      ['2', 'q'],
      ['3', 'q'],
      ['4', 'q'],
    ]);
    expect(quarantined[0]?.[2]).toBe('{"n":"1","q":"0.25","s":"v1"}');
  });

  test('a damaged file is refused', async () => {
    const bytes = await lab.parquet(typed);
    const damages = [
      bytes.subarray(0, bytes.length - 20),
      Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(bytes.length - 12, 65), bytes.subarray(-8)]),
      Buffer.alloc(500, 65),
    ];
    for (const damage of damages) {
      const source = await lab.upload(damage, 'parquet');
      expect(await failureOf(lab.importFile(source))).toMatchObject({ code: 'malformed_file' });
    }
  });

  /** The file with another footer, which no engine of ours would write. */
  const withFooter = (bytes: Buffer, from: string, to: string): Buffer => {
    const start = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
    const footer = bytes.toString('hex', start, bytes.length - 8);
    expect(footer).toContain(from);
    const changed = Buffer.from(footer.replaceAll(from, to), 'hex');
    return Buffer.concat([bytes.subarray(0, start), changed, bytes.subarray(-8)]);
  };

  describe('a decimal of more than 38 digits', () => {
    // Precision 38 becomes 40: the eighth field of a schema element, in Thrift's compact protocol.
    const widened = async (select: string) =>
      lab.upload(withFooter(await lab.parquet(select), '154c', '1550'), 'parquet');

    test('is refused by its column, unless the mapping leaves it out', async () => {
      const source = await widened('SELECT 1 AS n, 1.5::DECIMAL(38,2) AS amount');
      for (const options of [{}, { columnMappings: [mapping('amount', 'STRING')] }]) {
        expect(await failureOf(lab.importFile(source, options))).toMatchObject({
          code: 'unsupported_column',
          column: 'amount',
          message: expect.stringMatching(/"amount" \(amount DECIMAL\(40,2\)\).*DECIMAL\(38,s\)/),
        });
      }
      await expect(lab.previewFile(source)).rejects.toThrow('amount DECIMAL(40,2)');
      const { rows } = await lab.importFile(source, { columnMappings: [mapping('n', 'INTEGER')] });
      expect(rows).toEqual([['1']]);
    });

    test('is found where it is nested', async () => {
      const source = await widened("SELECT {'x': 1, 'y': {'deep': 1::DECIMAL(38,0)}} AS box, 2 AS after");
      expect(await failureOf(lab.importFile(source))).toMatchObject({
        column: 'box',
        message: expect.stringContaining('box.y.deep DECIMAL(40,0)'),
      });
    });
  });

  describe('a time with nanoseconds', () => {
    const times = (...fractions: string[]) =>
      lab.parquet(
        `SELECT unnest([${fractions.map((digits) => `'2024-01-31 10:00:00.${digits}'::TIMESTAMP_NS`).join(', ')}]) AS at`,
      );

    test('is not cut: its row is named, and what to do', async () => {
      const source = await lab.upload(await times('123456000', '123456789'), 'parquet');
      expect(await failureOf(lab.importFile(source))).toMatchObject({
        code: 'bad_row',
        line: 2,
        column: 'at',
        raw: '2024-01-31 10:00:00.123456789',
        reason: expect.stringContaining('Map the column to STRING'),
      });
      expect((await lab.previewFile(source, {}, { pageSize: 1 })).rows).toEqual([
        ['2024-01-31 10:00:00.123456'],
      ]);
      const asText = await lab.importFile(source, { columnMappings: [mapping('at', 'STRING')] });
      expect(asText.rows).toEqual([['2024-01-31 10:00:00.123456'], ['2024-01-31 10:00:00.123456789']]);
      const asTime = await lab.importFile(source, { columnMappings: [mapping('at', 'TIMESTAMP')] }, true);
      expect(asTime.rows).toEqual([['2024-01-31 10:00:00.123456']]);
      expect(asTime.quarantined.map(([line, column]) => [line, column])).toEqual([['2', 'at']]);
    });

    test('is put aside or listed like any bad row, with what is beside it as typed', async () => {
      const source = await lab.upload(
        await lab.parquet(`SELECT i AS n, 'x'::BLOB AS b, [i] AS l, NULL::TIMESTAMP_NS AS "none",
          make_timestamp_ns(1000 * i + i % 2) AS "at", make_timestamp_ns(1000 * i + (i = 2)::BIGINT) AS "it's"
          FROM range(4) AS t(i)`),
        'parquet',
      );
      const { columns, rows, quarantined, staged } = await lab.importFile(source, {}, true);
      expect(columns).toEqual([
        ...['n INTEGER', 'b BLOB', 'l JSON', 'none TIMESTAMP', 'at TIMESTAMP', "it's TIMESTAMP"],
      ]);
      expect(rows.map(([n]) => n)).toEqual(['0']);
      expect(staged.quarantine?.rows).toBe(3);
      const reason = expect.stringContaining('Map the column to STRING');
      expect(quarantined).toEqual([
        ['2', 'at', expect.stringContaining('"at":"1970-01-01 00:00:00.000001001"'), reason],
        ['3', "it's", expect.stringContaining('"n":"2"'), reason],
        ['4', 'at', expect.stringContaining('"n":"3"'), reason],
      ]);
      const page = await lab.previewFile(source, {}, { pageSize: 2 });
      expect(page).toMatchObject({ rows: [[0, 'x', [0], null, expect.anything(), expect.anything()]] });
      expect(page).toMatchObject({ badRows: [{ line: 2, column: 'at', reason }], badRowsTotal: 3 });
      const next = await lab.previewFile(source, {}, { pageSize: 2, pageNumber: 2 });
      expect(next).toMatchObject({ rows: [], badRows: [{ line: 3, column: "it's" }, { line: 4 }] });
      expect(await failureOf(lab.importFile(source))).toMatchObject({ code: 'bad_row', line: 2 });
    });

    test('is taken where they are zeros', async () => {
      const source = await lab.upload(await times('123456000', '5'), 'parquet');
      const { columns, rows } = await lab.importFile(source);
      expect(columns).toEqual(['at TIMESTAMP']);
      expect((await lab.importFile(source, {}, true)).staged.quarantine).toBeUndefined();
      expect(await lab.previewFile(source)).toMatchObject({ badRows: [], badRowsTotal: 0 });
      expect(rows).toEqual([['2024-01-31 10:00:00.123456'], ['2024-01-31 10:00:00.5']]);
    });
  });
});
