import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  Bool,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  Field,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeVector,
  Null,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Table,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  TimeSecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  tableToIPC,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import { ArrowFault, arrowToParquet } from '../index.ts';

const limits = { rows: 1_000, columns: 50, batches: 20, valueBytes: 1_000_000 };
const connection = await (await DuckDBInstance.create()).connect();
await connection.run("SET TimeZone = 'UTC'");

async function read(stream: Uint8Array, select = '*'): Promise<{ types: string[]; rows: unknown[][] }> {
  const path = join(tmpdir(), `${randomUUID()}.parquet`);
  await writeFile(path, Buffer.concat(arrowToParquet(stream, limits)));
  try {
    const reader = await connection.runAndReadAll(`SELECT ${select} FROM read_parquet('${path}')`);
    return { types: reader.columnTypes().map(String), rows: reader.getRowsJson() as unknown[][] };
  } finally {
    await rm(path);
  }
}

const stream = (columns: Record<string, Vector>): Uint8Array => tableToIPC(new Table(columns), 'stream');
const vector = (values: readonly unknown[], type: DataType): Vector =>
  vectorFromArray(values as never[], type as never) as Vector;

const types: [string, DataType, unknown[], string, unknown[]][] = [
  ['bool', new Bool(), [true, null, false, true], 'BOOLEAN', [true, null, false, true]],
  ['int8', new Int8(), [-128, null, 127], 'TINYINT', [-128, null, 127]],
  ['int16', new Int16(), [-32768, 5, null], 'SMALLINT', [-32768, 5, null]],
  ['int32', new Int32(), [null, -5, 7], 'INTEGER', [null, -5, 7]],
  [
    'int64',
    new Int64(),
    [-(2n ** 63n), null, 2n ** 63n - 1n],
    'BIGINT',
    ['-9223372036854775808', null, '9223372036854775807'],
  ],
  ['uint8', new Uint8(), [255, null], 'UTINYINT', [255, null]],
  ['uint16', new Uint16(), [65535, null], 'USMALLINT', [65535, null]],
  ['uint32', new Uint32(), [4294967295, null], 'UINTEGER', [4294967295, null]],
  ['uint64', new Uint64(), [2n ** 64n - 1n, null], 'UBIGINT', ['18446744073709551615', null]],
  ['float32', new Float32(), [1.5, null, -0.25], 'FLOAT', [1.5, null, -0.25]],
  ['float64', new Float64(), [0.1, null, 1e300], 'DOUBLE', [0.1, null, 1e300]],
  [
    'text',
    new Utf8(),
    ['', null, 'é𝄞', 'a text of more than thirty-two bytes, copied'],
    'VARCHAR',
    ['', null, 'é𝄞', 'a text of more than thirty-two bytes, copied'],
  ],
  ['large text', new LargeUtf8(), ['x', null], 'VARCHAR', ['x', null]],
  ['days', new DateDay(), [new Date('2026-01-31'), null], 'DATE', ['2026-01-31', null]],
  ['date of ms', new DateMillisecond(), [new Date('0001-01-01'), null], 'DATE', ['0001-01-01', null]],
  ['time s', new TimeSecond(), [3_661, null], 'TIME', ['01:01:01', null]],
  ['time ms', new TimeMillisecond(), [3_661_500, null], 'TIME', ['01:01:01.5', null]],
  ['time us', new TimeMicrosecond(), [1n, null], 'TIME', ['00:00:00.000001', null]],
  ['time ns', new TimeNanosecond(), [5_000n, null], 'TIME', ['00:00:00.000005', null]],
  ['timestamp s', new TimestampSecond(), [1_000, null], 'TIMESTAMP', ['1970-01-01 00:00:01', null]],
  ['timestamp ms', new TimestampMillisecond(), [1_500, null], 'TIMESTAMP', ['1970-01-01 00:00:01.5', null]],
  [
    'timestamp us',
    new TimestampMicrosecond(),
    [-0.001, null],
    'TIMESTAMP',
    ['1969-12-31 23:59:59.999999', null],
  ],
  [
    'timestamp tz',
    new TimestampMicrosecond('Europe/Berlin'),
    [1_000, null],
    'TIMESTAMP WITH TIME ZONE',
    ['1970-01-01 00:00:01+00', null],
  ],
  ['nothing', new Null(), [null, null], 'INTEGER', [null, null]],
];

test.each(types)('%s', async (_, type, values, engineType, expected) => {
  const read1 = await read(stream({ v: vector(values, type) }));
  expect(read1.types).toEqual([engineType]);
  expect(read1.rows.map(([value]) => value)).toEqual(expected);
  // Without nulls the buffers are copied as they are.
  const whole = values.filter((value) => value !== null);
  const read2 = await read(stream({ v: vector(whole, type) }));
  expect(read2.rows.map(([value]) => value)).toEqual(expected.filter((value) => value !== null));
});

test('decimals keep their sign and their scale', async () => {
  const type = new Decimal(2, 38, 128);
  const words = (value: bigint) => {
    const whole = BigInt.asUintN(128, value);
    return [0n, 32n, 64n, 96n].map((shift) => Number((whole >> shift) & 0xffff_ffffn));
  };
  const v = makeVector({
    type,
    length: 2,
    nullCount: 0,
    data: Uint32Array.from([...words(-1_250n), ...words(10n ** 37n)]),
  } as never) as Vector;
  const { types: found, rows } = await read(stream({ v }));
  expect([found, rows]).toEqual([
    ['DECIMAL(38,2)'],
    [['-12.50'], ['100000000000000000000000000000000000.00']],
  ]);
});

test('nanoseconds that microseconds hold are kept, others are refused at their row', async () => {
  const at = (ns: bigint) =>
    makeVector({
      type: new TimestampNanosecond(),
      length: 2,
      nullCount: 0,
      data: BigInt64Array.from([0n, ns]),
    } as never) as Vector;
  expect((await read(stream({ v: at(5_000n) }))).rows).toEqual([
    ['1970-01-01 00:00:00'],
    ['1970-01-01 00:00:00.000005'],
  ]);
  expect(faultOf(stream({ v: at(5_001n) }))).toMatchObject({ column: 'v', row: 1 });
});

test('dictionaries are resolved, in batches of any number', async () => {
  const v = vector(['b', 'a', null, 'b'], new Dictionary(new Utf8(), new Int32()));
  const other = vector([1, 2, 3, 4], new Int32());
  const table = new Table({ v, other });
  const writer = new RecordBatchStreamWriter();
  for (const batch of [...table.batches, ...table.batches]) writer.write(batch);
  writer.finish();
  const { rows } = await read(await writer.toUint8Array());
  const once = [
    ['b', 1],
    ['a', 2],
    [null, 3],
    ['b', 4],
  ];
  expect(rows).toEqual([...once, ...once]);
});

test('a slice of a table begins where it begins', async () => {
  const values = Array.from({ length: 21 }, (_, index) => (index % 4 === 0 ? null : index));
  const table = new Table({
    n: vector(values, new Int32()),
    t: vector(
      values.map((n) => n && `t${n}`),
      new Utf8(),
    ),
  });
  const { rows } = await read(tableToIPC(table.slice(5, 17), 'stream'));
  expect(rows).toEqual(values.slice(5, 17).map((n) => [n, n && `t${n}`]));
});

function faultOf(bytes: Uint8Array): unknown {
  try {
    arrowToParquet(bytes, limits);
  } catch (error) {
    return error;
  }
  return undefined;
}

test('what cannot be repacked is refused with its column', () => {
  const list = vector([[1], [2]], new List(new Field('item', new Int32(), true)));
  expect(faultOf(stream({ a: list }))).toMatchObject({ name: 'ArrowFault', column: 'a' });
  const struct = new Struct([new Field('b', new Int32(), true)]);
  expect(faultOf(stream({ a: vector([{ b: 1 }], struct) }))).toMatchObject({ column: 'a' });
  const tooMany = Object.fromEntries(
    Array.from({ length: 51 }, (_, index) => [`c${index}`, vector([1], new Int32())]),
  );
  expect(faultOf(stream(tooMany))).toMatchObject({ message: expect.stringContaining('51 columns') });
  const long = vector(
    Array.from({ length: 1_001 }, () => 1),
    new Int8(),
  );
  expect(faultOf(stream({ long }))).toMatchObject({ message: expect.stringContaining('1000 records') });
});

test('a short text that a dictionary repeats is refused when its values become too large', () => {
  const text = 'x'.repeat(10_000);
  const v = vector(
    Array.from({ length: 500 }, () => text),
    new Dictionary(new Utf8(), new Int32()),
  );
  expect(faultOf(stream({ v }))).toMatchObject({ column: 'v', message: expect.stringContaining('memory') });
});

test('a truncated or damaged stream never becomes a file with other values, nor any other error', () => {
  const bytes = stream({
    a: vector([1n, null, 3n], new Int64()),
    t: vector(['one', 'two', null], new Utf8()),
    d: vector(['x', 'y', 'x'], new Dictionary(new Utf8(), new Int8())),
  });
  for (let length = 0; length < bytes.length; length += 1)
    expect(faultOf(bytes.subarray(0, length)), `${length} bytes`).toBeInstanceOf(ArrowFault);
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 20_000; round += 1) {
    const changed = bytes.slice();
    for (let change = 0; change <= random(3); change += 1) changed[random(bytes.length)] = random(256);
    const fault = faultOf(changed);
    expect(fault === undefined || fault instanceof ArrowFault, String((fault as Error)?.stack)).toBe(true);
  }
});

test('a schema of fields that contain each other takes no time', () => {
  const schema = new Schema([new Field('a', new Struct([new Field('b', new Int32(), true)]), true)]);
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  writer.finish();
  expect(faultOf(writer.toUint8Array(true))).toMatchObject({ column: 'a' });
});
