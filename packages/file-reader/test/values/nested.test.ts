import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkOptions } from '../../src/options.ts';
import { parseDataType } from '../../src/values/types.ts';
import { failureOf, type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const native = { nested: 'native' } as const;
const lines = (...records: string[]) => records.join('\n');

const orders = lines(
  '{"id": 1, "customer": {"name": "Ada", "tags": ["a", "b"]}, "items": [{"sku": "x", "qty": 2, "price": 1}]}',
  '{"id": 2, "customer": {"name": "Bob", "city": null}, "items": [{"sku": "y", "qty": 1, "price": 2.5}, {}]}',
  '{"id": 3, "customer": null, "items": []}',
);

test('lists and objects of NDJSON become LIST and STRUCT with the fields of all records', async () => {
  const { columns, rows } = await lab.importFile(await lab.upload(orders, 'ndjson'), native);
  expect(columns).toEqual([
    'id INTEGER',
    'customer STRUCT("name" STRING, "tags" STRING[], "city" JSON)',
    'items STRUCT("sku" STRING, "qty" INTEGER, "price" DOUBLE)[]',
  ]);
  expect(rows[1]).toEqual([
    '2',
    { name: 'Bob', tags: null, city: null },
    [
      { sku: 'y', qty: '1', price: 2.5 },
      { sku: null, qty: null, price: null },
    ],
  ]);
  expect(rows[2]).toEqual(['3', null, []]);
});

test('without the option they stay documents', async () => {
  const { staged } = await lab.importFile(await lab.upload(orders, 'ndjson'));
  expect(staged.table.columns.map(({ dataType }) => dataType)).toEqual(['INTEGER', 'JSON', 'JSON']);
});

test.each([
  ['a text beside an object', '{"v": {"a": 1}}', '{"v": "x"}'],
  ['a list beside an object', '{"v": {"a": 1}}', '{"v": [1]}'],
  ['a number beyond a double', '{"v": {"a": 0.1234567890123456789}}', '{"v": {"a": 1}}'],
  ['an integer beyond 64 bits', '{"v": [9223372036854775808]}', '{"v": [1]}'],
  ['no field at all', '{"v": {}}', '{"v": {}}'],
  ['names that differ in case only', '{"v": {"a": 1}}', '{"v": {"A": 1}}'],
  ['keys that are data', ...[0, 150].map((from) => `{"v": ${JSON.stringify(manyKeys(from, 150))}}`)],
])('%s keeps the column JSON', async (_, ...records) => {
  const { staged } = await lab.importFile(await lab.upload(lines(...records), 'ndjson'), native);
  expect(staged.table.columns).toMatchObject([{ name: 'v', dataType: 'JSON' }]);
});

function manyKeys(from: number, count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${from + at}`, at]));
}

test('only the part of several types is JSON', async () => {
  const { columns, rows } = await lab.importFile(
    await lab.upload(
      lines('{"v": {"a": 1, "b": 9007199254740993}}', '{"v": {"a": "x", "b": 1}}', '{"v": {"a": [1.5]}}'),
      'ndjson',
    ),
    native,
  );
  expect(columns).toEqual(['v STRUCT("a" JSON, "b" INTEGER)']);
  expect(rows).toEqual([
    [{ a: '1', b: '9007199254740993' }],
    [{ a: '"x"', b: '1' }],
    [{ a: '[1.5]', b: null }],
  ]);
});

test('a mapped type takes what fits; the rest are bad rows, with nothing rounded or dropped', async () => {
  const type = 'STRUCT("a" INTEGER, "b" STRING[])';
  const { rows, quarantined } = await lab.importFile(
    await lab.upload(
      lines(
        '{"v": {"a": 1, "b": ["x"]}}',
        '{"v": {"a": 1.5}}',
        '{"v": {"a": 2, "c": true}}',
        '{"v": [1]}',
        '{"v": "x"}',
        '{"v": {"b": [null, 5]}}',
        '{"v": null}',
      ),
      'ndjson',
    ),
    { columnMappings: [mapping('v', type)] },
    true,
  );
  expect(rows).toEqual([[{ a: '1', b: ['x'] }], [null]]);
  expect(quarantined).toHaveLength(5);
});

test('Parquet keeps its lists, structs and maps, with the types of the lake', async () => {
  const file =
    await lab.parquet(`SELECT 1 AS id, [{'a': 1::TINYINT, 'at': TIMESTAMP_NS '2026-01-02 03:04:05.123456789'}] AS l,
      MAP {'k': 1.5::FLOAT} AS m, {'d': 1.25::DECIMAL(9,2), 'h': 5::HUGEINT, 'u': {'deep': DATE '2026-01-01'}} AS s`);
  const source = await lab.upload(file, 'parquet');
  const { columns, rows } = await lab.importFile(source, native);
  const types = [
    'INTEGER',
    'STRUCT("a" INTEGER, "at" STRING)[]',
    'MAP(STRING, DOUBLE)',
    'STRUCT("d" DECIMAL(9,2), "h" DOUBLE, "u" STRUCT("deep" DATE))',
  ];
  expect(columns).toEqual(['id', 'l', 'm', 's'].map((name, at) => `${name} ${types[at]}`));
  expect(rows).toEqual([
    [
      '1',
      [{ a: '1', at: '2026-01-02 03:04:05.123456789' }],
      [{ key: 'k', value: 1.5 }],
      { d: '1.25', h: 5, u: { deep: '2026-01-01' } },
    ],
  ]);
  const mapped = await lab.importFile(source, {
    columnMappings: [mapping('l', types[1]!), mapping('m', types[2]!), mapping('s', types[3]!)],
  });
  expect(mapped.rows).toEqual(rows.map((row) => row.slice(1)));
  const failure = await failureOf(
    lab.importFile(source, { columnMappings: [mapping('l', 'STRUCT("a" INTEGER)[]')] }),
  );
  expect(failure).toMatchObject({ code: 'unsupported_column', column: 'l' });
});

test('a preview shows the types that a mapping takes', async () => {
  const source = await lab.upload(orders, 'ndjson');
  const { columns, rows } = await lab.previewFile(source, native);
  expect(rows[0]).toEqual([
    1,
    { name: 'Ada', tags: ['a', 'b'], city: null },
    [{ sku: 'x', qty: 2, price: 1 }],
  ]);
  const mappings = columns.map(({ sourceName, dataType }) => mapping(sourceName, dataType));
  const { rows: mapped } = await lab.previewFile(source, { columnMappings: mappings });
  expect(mapped).toEqual(rows);
});

test.each([
  'STRUCT("a" INTEGER',
  'STRUCT(a INTEGER)',
  'STRUCT("a" ENUM(\'x\'))',
  'STRUCT("a" DECIMAL(39,1))',
  'STRUCT("a" INTEGER); SELECT 1',
  'UUID[]',
  `INTEGER${'[]'.repeat(40)}`,
])('%s is no type that a mapping takes', (type) => {
  const options = { columnMappings: [mapping('v', type)], includeLoadDate: false };
  expect(checkOptions(options, 'json').map(({ path }) => path)).toEqual([['columnMappings', 0, 'dataType']]);
});

test('names with quotes and blanks are taken, whatever blanks are around them', () => {
  const type = 'STRUCT( "a ""b"" c" INTEGER,"d" MAP(STRING, DECIMAL(9,2))[] )';
  expect(parseDataType(type)).toEqual({
    kind: 'NESTED',
    name: 'STRUCT("a ""b"" c" INTEGER, "d" MAP(STRING, DECIMAL(9,2))[])',
  });
});
