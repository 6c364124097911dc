import { type Field, MapRow, StructRow, type Table, tableFromIPC, Vector } from 'apache-arrow';
import { beforeAll, expect, test } from 'vitest';
import { streaming } from '../../../support/streams.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
let streams: Awaited<ReturnType<typeof streaming>>;

beforeAll(async () => {
  streams = await streaming(workspace, await workspace.organization());
});

async function read(sql: string): Promise<Table> {
  const answer = await streams.fetched('application/vnd.apache.arrow.stream', { sql });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(answer.status, Buffer.from(bytes).toString()).toBe(200);
  return tableFromIPC(bytes);
}

/** Expression of a row's number `i`, Arrow's type, and what is read back for the number. */
const columns: [sql: string, type: string, value: (i: number) => unknown][] = [
  ['(i % 100)::TINYINT', 'Int8', (i) => i % 100],
  ['(-i % 30000)::SMALLINT', 'Int16', (i) => -(i % 30_000) || 0],
  ['(i * 50000)::INTEGER', 'Int32', (i) => i * 50_000],
  ['i * 90071992547409', 'Int64', (i) => BigInt(i) * 90071992547409n],
  ['(i % 200)::UTINYINT', 'Uint8', (i) => i % 200],
  ['(i % 60000)::USMALLINT', 'Uint16', (i) => i % 60_000],
  ['(i * 100000)::UINTEGER', 'Uint32', (i) => i * 100_000],
  ['18446744073709551615::UBIGINT - i::UBIGINT', 'Uint64', (i) => 18446744073709551615n - BigInt(i)],
  ['(i / 2)::FLOAT', 'Float32', (i) => i / 2],
  ['i / 7', 'Float64', (i) => i / 7],
  ['i % 3 = 0', 'Bool', (i) => i % 3 === 0],
  ["'t' || i || repeat('ü', i % 20)", 'Utf8', (i) => `t${i}${'ü'.repeat(i % 20)}`],
  ["''", 'Utf8', () => ''],
  ["encode('b' || i)", 'Binary', (i) => `b${i}`],
  ["['a', 'b'][1 + i % 2]", 'Utf8', (i) => ['a', 'b'][i % 2]],
  ["['x' || i]", 'List<Utf8>', (i) => [`x${i}`]],
  ['range(i % 5)', 'List<Int64>', (i) => Array.from({ length: i % 5 }, (_, at) => BigInt(at))],
  [
    "{'k': i, 'l': [NULL, {'m': i % 2 = 0}]}",
    'Struct<{k:Int64, l:List<Struct<{m:Bool}>>}>',
    (i) => ({
      ...{ k: BigInt(i), l: [null, { m: i % 2 === 0 }] },
    }),
  ],
  ["MAP {'k': i, 'n': NULL}", 'Map<{key:Utf8, value:Int64}>', (i) => ({ k: BigInt(i), n: null })],
  ["('[' || i || ']')::JSON", 'Utf8', (i) => `[${i}]`],
  [
    "CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END::ENUM('odd', 'even')",
    'Utf8',
    (i) => (i % 2 ? 'odd' : 'even'),
  ],
  [
    "('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID",
    'Utf8',
    (i) => `00000000-0000-0000-0000-${String(i).padStart(12, '0')}`,
  ],
  ['to_days((1 + i)::INTEGER)', 'Utf8', (i) => `P${1 + i}D`],
];

test('every type reads back as it is, with nulls among them, over many batches', async () => {
  const rows = 12_345;
  const list = columns.map(([sql], at) => `CASE WHEN i % 7 = ${at % 7} THEN NULL ELSE ${sql} END AS c${at}`);
  const table = await read(`SELECT ${list.join(', ')} FROM range(${rows}) t(i) ORDER BY i`);
  expect(table.numRows).toBe(rows);
  expect(table.batches.length).toBeGreaterThan(5);
  expect(table.schema.fields.map(({ type, nullable }) => [String(type), nullable])).toEqual(
    columns.map(([, type]) => [type, true]),
  );
  for (const [at, [sql, type, value]] of columns.entries()) {
    const expected = Array.from({ length: rows }, (_, i) => (i % 7 === at % 7 ? null : value(i)));
    const read = Array.from(table.getChildAt(at)!, (cell) =>
      type === 'Binary' && cell !== null ? Buffer.from(cell as Uint8Array).toString() : plain(cell),
    );
    expect(read, sql).toEqual(expected);
  }
});

/** Lists, structs and maps as arrays and objects. */
function plain(cell: unknown): unknown {
  if (cell instanceof Vector) return Array.from(cell, plain);
  if (!(cell instanceof StructRow) && !(cell instanceof MapRow)) return cell;
  return Object.fromEntries(Array.from(cell, ([key, value]) => [key, plain(value)]));
}

test('values within lists and structs keep their types and digits', async () => {
  const table = await read(`SELECT [{
    'd': DATE '1969-12-31', 't': TIME '23:59:59.999999', 'ts': TIMESTAMP '9999-12-31 23:59:59.999999',
    'tz': TIMESTAMPTZ '2026-01-02 03:04:05.678901Z', 'ns': TIMESTAMP_NS '2026-01-02 03:04:05.678901234',
    'n': -12345678901234567890.12::DECIMAL(38,2), 'h': -10000000000000000000000000000000000000::HUGEINT, 'u': 18446744073709551615::UBIGINT,
    'b': encode('ü'), 'j': '[1.0]'::JSON, 'i': INTERVAL 1 DAY, 'e': []::INTEGER[],
    's': TIMESTAMP_S '2026-01-02 03:04:05', 'ms': TIMESTAMP_MS '2026-01-02 03:04:05.678', 'bo': true}] AS v`);
  const item = table.schema.fields[0]!.type.children[0]!;
  const types = item.type.children.map(({ name, type }: Field) => `${name} ${type}`);
  expect(types).toEqual([
    ...['d Date32<DAY>', 't Time64<MICROSECOND>', 'ts Timestamp<MICROSECOND>'],
    ...['tz Timestamp<MICROSECOND, UTC>', 'ns Timestamp<NANOSECOND>', 'n Decimal[38e+2]', 'h Decimal[38e0]'],
    ...['u Uint64', 'b Binary', 'j Utf8', 'i Utf8', 'e List<Int32>'],
    ...['s Timestamp<SECOND>', 'ms Timestamp<MILLISECOND>', 'bo Bool'],
  ]);
  const leaves = table.batches[0]!.data.children[0]!.children[0]!.children;
  const values = (at: number) => {
    const { values, length, stride } = leaves[at]!;
    return values.subarray(0, length * stride);
  };
  expect(values(0)).toEqual(Int32Array.of(-1));
  expect(values(1)).toEqual(BigInt64Array.of(86_399_999_999n));
  expect(values(2)).toEqual(BigInt64Array.of(253_402_300_799_999_999n));
  expect(values(3)).toEqual(BigInt64Array.of(1_767_323_045_678_901n));
  expect(values(4)).toEqual(BigInt64Array.of(1_767_323_045_678_901_234n));
  const words = (at: number) => {
    const [low, high] = new BigInt64Array(Uint32Array.from(values(at) as Uint32Array).buffer);
    return (high! << 64n) | BigInt.asUintN(64, low!);
  };
  expect([words(5), words(6)]).toEqual([-1234567890123456789012n, -(10n ** 37n)]);
  expect(values(7)).toEqual(BigUint64Array.of(2n ** 64n - 1n));
  expect(values(12)).toEqual(BigInt64Array.of(1_767_323_045n));
  expect(values(13)).toEqual(BigInt64Array.of(1_767_323_045_678n));
});

/** Unscaled integers of a decimal column, over all batches. */
function unscaled(table: Table, at: number): (bigint | null)[] {
  return table.batches.flatMap(({ data }) => {
    const child = data.children[at]!;
    const words = new BigInt64Array(child.values.buffer, child.values.byteOffset, child.length * 2);
    return Array.from({ length: child.length }, (_, row) =>
      child.getValid(row) ? (words[row * 2 + 1]! << 64n) | BigInt.asUintN(64, words[row * 2]!) : null,
    );
  });
}

test('decimals of every width, and integers of up to 38 digits, keep each digit', async () => {
  const types = ['DECIMAL(4,1)', 'DECIMAL(9,2)', 'DECIMAL(18,3)', 'DECIMAL(38,4)', 'HUGEINT', 'UHUGEINT'];
  const values = [
    '-999.9',
    '1234567.89',
    '-123456789012345.678',
    '-9999999999999999999999999999999999.9999',
    '-99999999999999999999999999999999999999',
    '99999999999999999999999999999999999999',
  ];
  const list = types.map(
    (type, at) => `CASE i % 3 WHEN 0 THEN '${values[at]}' WHEN 1 THEN '0' END::${type} AS c${at}`,
  );
  const table = await read(`SELECT ${list.join(', ')} FROM range(20000) t(i) ORDER BY i`);
  expect(table.schema.fields.map(({ type }) => String(type))).toEqual([
    'Decimal[4e+1]',
    'Decimal[9e+2]',
    'Decimal[18e+3]',
    'Decimal[38e+4]',
    'Decimal[38e0]',
    'Decimal[38e0]',
  ]);
  for (const [at, value] of values.entries()) {
    const cells = [BigInt(value.replace('.', '')), 0n, null];
    expect(unscaled(table, at)).toEqual(Array.from({ length: 20_000 }, (_, i) => cells[i % 3]));
  }
});

test.each([
  '170141183460469231731687303715884105727',
  '-170141183460469231731687303715884105727',
  '250000000000000000000000000000000000000::UHUGEINT',
  '340282366920938463463374607431768211455::UHUGEINT',
])('an integer of 39 digits is refused by name: %s', async (value) => {
  const sql = `SELECT ${value} AS "my sum"`;
  const answer = await streams.fetched('application/vnd.apache.arrow.stream', { sql });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { code: 'query_failed', detail: expect.stringContaining('"my sum"') },
  ]);
});

test('times are in the units of the engine; an instant is in UTC', async () => {
  const table = await read(`SELECT DATE '1969-12-31' AS d, TIME '01:02:03.000004' AS t,
    TIMESTAMP '1969-12-31 23:59:59.999999' AS ts, TIMESTAMPTZ '2026-01-02 03:04:05.000006+02' AS tz,
    TIMESTAMP_S '2026-01-02 03:04:05' AS s, TIMESTAMP_MS '2026-01-02 03:04:05.006' AS ms,
    TIMESTAMP_NS '2026-01-02 03:04:05.000000007' AS ns`);
  expect(table.schema.fields.map(({ type }) => String(type))).toEqual([
    'Date32<DAY>',
    'Time64<MICROSECOND>',
    'Timestamp<MICROSECOND>',
    'Timestamp<MICROSECOND, UTC>',
    'Timestamp<SECOND>',
    'Timestamp<MILLISECOND>',
    'Timestamp<NANOSECOND>',
  ]);
  const seconds = BigInt(Date.UTC(2026, 0, 2, 3, 4, 5)) / 1000n;
  const stored = table.batches[0]!.data.children.map(({ values }) => values[0]);
  expect(stored).toEqual([
    -1,
    3_723_000_004n,
    -1n,
    (seconds - 7_200n) * 1_000_000n + 6n,
    seconds,
    seconds * 1_000n + 6n,
    seconds * 1_000_000_000n + 7n,
  ]);
});

test('text of any length is cut into batches between rows', async () => {
  const table = await read(
    "SELECT i, repeat('x', (i % 5)::INTEGER * 50000) AS t FROM range(200) t(i) ORDER BY i",
  );
  expect(table.batches.length).toBeGreaterThan(50);
  expect(Array.from(table, (row) => [Number(row['i']), (row['t'] as string).length])).toEqual(
    Array.from({ length: 200 }, (_, i) => [i, (i % 5) * 50_000]),
  );
});
