import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { openRowWriter, type PostgresFormat } from '../index.ts';

/** The cells of one row, as they are sent. */
async function cells(
  expressions: readonly string[],
  format: Partial<PostgresFormat> = {},
): Promise<Buffer[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const result = await connection.stream(`SELECT ${expressions.join(', ')}`);
  const columns = result.columnNames().map((name, index) => ({ name, type: result.columnType(index) }));
  const whole = { kind: 'postgres', binary: [true], describes: false, ...format } as const;
  const writer = await openRowWriter(whole, columns, 1_000_000);
  const chunk = await result.fetchChunk();
  const pieces = [...writer.add(chunk!, 1), writer.end()];
  const bytes = Buffer.concat(pieces.flatMap(({ chunks }) => chunks.map((part) => Buffer.from(part))));
  expect(bytes[0]).toBe('D'.charCodeAt(0));
  expect(bytes.readInt32BE(1)).toBe(bytes.length - 1);
  const found: Buffer[] = [];
  for (let at = 7; at < bytes.length; ) {
    const length = bytes.readInt32BE(at);
    found.push(bytes.subarray(at + 4, at + 4 + Math.max(0, length)));
    at += 4 + Math.max(0, length);
  }
  return found;
}

const values: readonly (readonly [expression: string, hex: string])[] = [
  ['true', '01'],
  ['CAST(-5 AS SMALLINT)', 'fffb'],
  ['7', '00000007'],
  ['9007199254740993', '0020000000000001'],
  ['CAST(12345.678 AS DECIMAL(20, 5))', '0003000100000005000109291a7c'],
  ['CAST(-0.0001 AS DECIMAL(10, 4))', '0001ffff400000040001'],
  ['CAST(0 AS DECIMAL(10, 4))', '0000000000000004'],
  ['CAST(100000000 AS HUGEINT)', '00010002000000000001'],
  ['CAST(1.5 AS DOUBLE)', '3ff8000000000000'],
  [`DATE '2000-01-02'`, '00000001'],
  [`CAST('-infinity' AS DATE)`, '80000000'],
  [`TIMESTAMP '1999-12-31 23:59:59.999999'`, 'ffffffffffffffff'],
  [`CAST('infinity' AS TIMESTAMPTZ)`, '7fffffffffffffff'],
  [`TIME '00:00:01'`, '00000000000f4240'],
  [`INTERVAL '2 months 3 days 1 second'`, '00000000000f42400000000300000002'],
  [`CAST('00010203-0405-0607-0809-0a0b0c0d0e0f' AS UUID)`, '000102030405060708090a0b0c0d0e0f'],
  ['[1, NULL]', '00000001000000010000001700000002000000010000000400000001ffffffff'],
  ['CAST([] AS INTEGER[])', '000000000000000000000017'],
  [`'Zoë'`, '5a6fc3ab'],
  [`{'a': 1}`, Buffer.from('{"a":1}').toString('hex')],
];

test.each(values)('%s in binary', async (expression, hex) => {
  const [cell] = await cells([expression]);
  expect(cell!.toString('hex')).toBe(hex);
});

test('integers are sent in the size of which the client was told', async () => {
  const [cell] = await cells(['7'], { expected: [20] });
  expect(cell!.toString('hex')).toBe('0000000000000007');
  await expect(cells([`'x'`], { expected: [20] })).rejects.toThrow('has changed since');
});

test('a row that is too large is refused', async () => {
  await expect(cells([`repeat('x', 2000000)`])).rejects.toThrow('larger than');
});
