import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestQueries, outcomeOf, type TestQueries } from './support.ts';

let queries: TestQueries;
beforeAll(async () => {
  queries = await openTestQueries([]);
});
afterAll(() => queries?.close());

describe('encodes a value', () => {
  it.each([
    ['true', 'true', 'BOOLEAN'],
    ['NULL', 'null', 'INTEGER'],
    ['42::TINYINT', '42', 'INTEGER'],
    ['42', '42', 'INTEGER'],
    ['9007199254740992', '9007199254740992', 'INTEGER'],
    ['9007199254740993', '"9007199254740993"', 'INTEGER'],
    ['-9007199254740993', '"-9007199254740993"', 'INTEGER'],
    ['18446744073709551615::UBIGINT', '"18446744073709551615"', 'UBIGINT'],
    ['1::HUGEINT', '1', 'HUGEINT'],
    ['-9007199254740993::HUGEINT', '"-9007199254740993"', 'HUGEINT'],
    ['-170141183460469231731687303715884105728', '"-170141183460469231731687303715884105728"', 'HUGEINT'],
    [
      '340282366920938463463374607431768211455::UHUGEINT',
      '"340282366920938463463374607431768211455"',
      'UHUGEINT',
    ],
    ['1.50::DECIMAL(10,2)', '"1.50"', 'DECIMAL(10,2)'],
    ['-0.05::DECIMAL(4,2)', '"-0.05"', 'DECIMAL(4,2)'],
    ['7::DECIMAL(38,0)', '7', 'DECIMAL(38,0)'],
    [
      "'99999999999999999999999999999999999.999'::DECIMAL(38,3)",
      '"99999999999999999999999999999999999.999"',
      'DECIMAL(38,3)',
    ],
    ["chr(65279) || 'a'", '"\ufeffa"', 'STRING'],
    [
      "[chr(65279), chr(65279) || 'text longer than twelve bytes']",
      '["\ufeff","\ufefftext longer than twelve bytes"]',
      'STRING[]',
    ],
    ["{'s': chr(65279)}", '{"s":"\ufeff"}', 'STRUCT("s" STRING)'],
    ['1.5::DOUBLE', '1.5', 'DOUBLE'],
    ['1e300::DOUBLE', '1e+300', 'DOUBLE'],
    ['0.1::FLOAT', '0.1', 'FLOAT'],
    ['16777216::FLOAT', '16777216', 'FLOAT'],
    ["'nan'::DOUBLE", '"NaN"', 'DOUBLE'],
    ["'inf'::DOUBLE", '"Infinity"', 'DOUBLE'],
    ["'-inf'::FLOAT", '"-Infinity"', 'FLOAT'],
    [`'a"b' || chr(10) || 'ü漢'`, '"a\\"b\\nü漢"', 'STRING'],
    ["DATE '2024-02-29'", '"2024-02-29"', 'DATE'],
    ["DATE '0044-03-15 (BC)'", '"-000043-03-15"', 'DATE'],
    ["'5881580-07-10'::DATE", '"+5881580-07-10"', 'DATE'],
    ["'infinity'::DATE", '"infinity"', 'DATE'],
    ["'-infinity'::TIMESTAMP", '"-infinity"', 'TIMESTAMP'],
    ["TIME '01:02:03.000004'", '"01:02:03.000004"', 'TIME'],
    ["TIME '24:00:00'", '"24:00:00.000000"', 'TIME'],
    ["TIME_NS '01:02:03.123456789'", '"01:02:03.123456789"', 'TIME_NS'],
    ["'01:02:03+05:30'::TIMETZ", '"01:02:03.000000+05:30"', 'TIMETZ'],
    ["TIMESTAMP '2024-01-02 03:04:05.6'", '"2024-01-02T03:04:05.600000"', 'TIMESTAMP'],
    ["TIMESTAMP '1969-12-31 23:59:59.999999'", '"1969-12-31T23:59:59.999999"', 'TIMESTAMP'],
    ["'2024-01-02 03:04:05'::TIMESTAMP_S", '"2024-01-02T03:04:05.000000"', 'TIMESTAMP_S'],
    ["'2024-01-02 03:04:05.678'::TIMESTAMP_MS", '"2024-01-02T03:04:05.678000"', 'TIMESTAMP_MS'],
    ["'2024-01-02 03:04:05.123456789'::TIMESTAMP_NS", '"2024-01-02T03:04:05.123456789"', 'TIMESTAMP_NS'],
    ["'2024-01-02 03:04:05.678+02'::TIMESTAMPTZ", '"2024-01-02T01:04:05.678Z"', 'TIMESTAMPTZ'],
    ["'2024-01-02 03:04:05.123456+00'::TIMESTAMPTZ", '"2024-01-02T03:04:05.123456Z"', 'TIMESTAMPTZ'],
    ["'2024-01-02 03:04:05.12345+00'::TIMESTAMPTZ", '"2024-01-02T03:04:05.12345Z"', 'TIMESTAMPTZ'],
    ["'1969-12-31 23:59:59.0001+00'::TIMESTAMPTZ", '"1969-12-31T23:59:59.0001Z"', 'TIMESTAMPTZ'],
    ["'2024-01-02 03:04:05+00'::TIMESTAMPTZ", '"2024-01-02T03:04:05.000Z"', 'TIMESTAMPTZ'],
    [
      "MAP {'2024-01-01 00:00:00.000001+00'::TIMESTAMPTZ: 1}",
      '{"2024-01-01T00:00:00.000001Z":1}',
      'MAP(TIMESTAMPTZ, INTEGER)',
    ],
    ["'infinity'::TIMESTAMPTZ", '"infinity"', 'TIMESTAMPTZ'],
    ['[1, NULL, 3]', '[1,null,3]', 'INTEGER[]'],
    ['[[1.5::DOUBLE], []]', '[[1.5],[]]', 'DOUBLE[][]'],
    ['[1, 2]::INTEGER[2]', '[1,2]', 'INTEGER[2]'],
    [
      "{'a': 1, 'b c': 'x', 'n': NULL::DATE}",
      '{"a":1,"b c":"x","n":null}',
      'STRUCT("a" INTEGER, "b c" STRING, "n" DATE)',
    ],
    [
      "{'__proto__': 1, 'toString': 2}",
      '{"__proto__":1,"toString":2}',
      'STRUCT("__proto__" INTEGER, "toString" INTEGER)',
    ],
    ['row(1, 2)', '{"1":1,"2":2}', 'STRUCT(INTEGER, INTEGER)'],
    ['[(1, 2), (3, 4)]', '[{"1":1,"2":2},{"1":3,"2":4}]', 'STRUCT(INTEGER, INTEGER)[]'],
    ["MAP {'k': (1, 2)}", '{"k":{"1":1,"2":2}}', 'MAP(STRING, STRUCT(INTEGER, INTEGER))'],
    ["MAP {1: 'x', 2: NULL}", '{"1":"x","2":null}', 'MAP(INTEGER, STRING)'],
    ["MAP {DATE '2024-01-01': [1]}", '{"2024-01-01":[1]}', 'MAP(DATE, INTEGER[])'],
    [
      `'{"b": 1.0, "a": [1e400, 12345678901234567890]}'::JSON`,
      '{"b": 1.0, "a": [1e400, 12345678901234567890]}',
      'JSON',
    ],
    [`'null'::JSON`, 'null', 'JSON'],
    [`['{"j": 1}'::JSON]`, '[{"j": 1}]', 'JSON[]'],
    ["'\\x00\\xFF'::BLOB", '"AP8="', 'BLOB'],
    ["''::BLOB", '""', 'BLOB'],
    ["INTERVAL '1 year 2 months 3 days 04:05:06.7'", '"P1Y2M3DT4H5M6.7S"', 'INTERVAL'],
    ["INTERVAL '-1 month -90 minutes'", '"P-1MT-1H-30M"', 'INTERVAL'],
    ["INTERVAL '0 days'", '"PT0S"', 'INTERVAL'],
    ["INTERVAL '-0.5 seconds'", '"PT-0.5S"', 'INTERVAL'],
    ["'b'::ENUM ('a', 'b')", '"b"', "ENUM('a', 'b')"],
    ["'00000000-0000-4000-8000-000000000001'::UUID", '"00000000-0000-4000-8000-000000000001"', 'UUID'],
    ["'0101'::BIT", '"0101"', 'BIT'],
    ['union_value(n := 5)', '5', 'UNION("n" INTEGER)'],
    ["union_value(s := {'x': 1})", '{"x":1}', 'UNION("s" STRUCT("x" INTEGER))'],
    ['5::BIGNUM', '5', 'BIGNUM'],
    ["{'a': [1]}::VARIANT", '{"a":[1]}', 'VARIANT'],
    ["DATE '2024-01-01'::VARIANT", '"2024-01-01"', 'VARIANT'],
  ])('%s', async (sql, json, dataType) => {
    const answer = await queries.run(`SELECT ${sql} AS v`);
    expect(answer.rowsJson).toBe(`[{"v":${json}}]`);
    expect(answer.rowsWithColumnOrderJson).toBe(`[[{"name":"v","value":${json}}]]`);
    expect(answer.columns).toEqual([{ name: 'v', dataType }]);
    expect(() => JSON.parse(answer.rowsJson ?? '')).not.toThrow();
  });
});

describe('answers', () => {
  it('both formats, with duplicates kept in one and collapsed in the other', async () => {
    const answer = await queries.run('SELECT 1 AS order_id, 2 AS "orderId", 3 AS a, 4 AS a');
    expect(answer.rowsJson).toBe('[{"orderId":2,"a":4}]');
    expect(answer.rowsWithColumnOrderJson).toBe(
      '[[{"name":"order_id","value":1},{"name":"orderId","value":2},{"name":"a","value":3},{"name":"a","value":4}]]',
    );
    expect(answer.columns.map((column) => column.name)).toEqual(['order_id', 'orderId', 'a', 'a']);
  });

  it('only the format asked for, empty when nothing matches', async () => {
    const rows = await queries.run('SELECT 1 AS a WHERE false', { rowFormat: 'rows' });
    expect(rows).toMatchObject({ rowsJson: '[]', rowsWithColumnOrderJson: undefined, rowCount: 0 });
    const ordered = await queries.run('SELECT 1 AS a WHERE false', { rowFormat: 'rows_with_column_order' });
    expect(ordered).toMatchObject({ rowsJson: undefined, rowsWithColumnOrderJson: '[]', truncated: false });
    expect(ordered.columns).toEqual([{ name: 'a', dataType: 'INTEGER' }]);
  });

  it('truncated only where there was more', async () => {
    const exact = await queries.run('FROM range(5)', { limit: 5 });
    expect(exact).toMatchObject({ rowCount: 5, truncated: false });
    const more = await queries.run('FROM range(5)', { limit: 4 });
    expect(more).toMatchObject({ rowCount: 4, truncated: true });
    const ownLimit = await queries.run('FROM range(5000) LIMIT 4000', { limit: 3000 });
    expect(ownLimit).toMatchObject({ rowCount: 3000, truncated: true });
    const offset = await queries.run('FROM range(10) OFFSET 8', { limit: 5 });
    expect(offset).toMatchObject({ rowCount: 2, truncated: false });
  });

  it('query_too_large rather than more bytes than allowed', async () => {
    const outcome = await outcomeOf(queries.run("SELECT repeat('x', 1000000) FROM range(100)"));
    expect(outcome.code).toBe('query_too_large');
  });
});
