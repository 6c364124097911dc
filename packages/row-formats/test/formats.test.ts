import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeRows, openRowWriter, RowFault, type RowFormat, type WrittenFormat } from '../index.ts';

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
});

async function encoded(sql: string, format: RowFormat = 'rows', limits = { rows: 100, bytes: 10_000 }) {
  const result = await connection.stream(sql);
  return encodeRows(result, result.columnNames(), format, limits);
}

async function written(format: WrittenFormat, sql: string, maxBytes = 100_000): Promise<Buffer> {
  const result = await connection.stream(sql);
  const columns = result.columnNames().map((name, index) => ({ name, type: result.columnType(index) }));
  const writer = await openRowWriter(format, columns, maxBytes);
  const chunks: Buffer[] = [];
  const keep = (piece: { chunks: readonly Uint8Array[] }) => chunks.push(Buffer.concat(piece.chunks));
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (const piece of writer.add(chunk, chunk.rowCount)) keep(piece);
  }
  keep(writer.end());
  return Buffer.concat(chunks);
}

const faultOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(RowFault);
  return `${(error as RowFault).code}: ${(error as RowFault).message}`;
};

describe('a JSON answer', () => {
  it('keeps digits, structs without names and the beginnings of texts', async () => {
    const { rowsJson, columns } = await encoded(
      `SELECT 9007199254740993 AS big_one, 1.50::DECIMAL(5, 2) AS d, row(1, 'x') AS s, chr(65279) || 'a' AS t`,
    );
    expect(rowsJson).toBe('[{"bigOne":"9007199254740993","d":"1.50","s":{"1":1,"2":"x"},"t":"\ufeffa"}]');
    expect(columns.map(({ dataType }) => dataType)).toContain('DECIMAL(5,2)');
  });

  it('has columns by position too, and ends at its limit', async () => {
    const answer = await encoded('SELECT i AS a, i AS a FROM range(5) t(i)', 'both', {
      rows: 2,
      bytes: 1_000,
    });
    expect(answer).toMatchObject({ rowCount: 2, truncated: true, rowsJson: '[{"a":0},{"a":1}]' });
    expect(JSON.parse(answer.rowsWithColumnOrderJson!)[1]).toEqual([
      { name: 'a', value: 1 },
      { name: 'a', value: 1 },
    ]);
  });

  it('is refused if it is too large', async () => {
    const work = encoded(`SELECT repeat('x', 100) FROM range(1000)`, 'rows', { rows: 1_000, bytes: 10_000 });
    expect(await faultOf(work)).toMatch(/^too_large: The answer is larger than/);
  });
});

describe('a stream', () => {
  const sql = `SELECT i AS n, CASE WHEN i > 0 THEN 'a,"' || i END AS t, [i, NULL] AS l FROM range(2) r(i)`;

  it('is CSV', async () => {
    expect((await written('csv', sql)).toString()).toBe('n,t,l\r\n0,,"[0,null]"\r\n1,"a,""1","[1,null]"\r\n');
  });

  it('is NDJSON', async () => {
    expect((await written('ndjson', sql)).toString()).toBe(
      '{"n":0,"t":null,"l":[0,null]}\n{"n":1,"t":"a,\\"1","l":[1,null]}\n',
    );
  });

  it.each(['arrow', 'arrow_file'] as const)('is %s, of many batches', async (format) => {
    const many = `SELECT i AS n, i::DECIMAL(20, 2) AS d, i::HUGEINT AS h, i % 2 = 0 AS b,
      CASE WHEN i % 3 > 0 THEN 'text ' || i END AS t, {'a': [i]} AS s FROM range(50000) r(i)`;
    const table = tableFromIPC(await written(format, many));
    expect(table.numRows).toBe(50_000);
    expect(table.batches.length).toBeGreaterThan(1);
    const last = table.get(49_999)!.toJSON();
    expect(last).toMatchObject({ n: 49_999n, b: false, t: 'text 49999' });
    expect(JSON.stringify(last['s'], (_, value) => (typeof value === 'bigint' ? Number(value) : value))).toBe(
      '{"a":[49999]}',
    );
    expect(table.get(0)!.toJSON()['t']).toBeNull();
  });

  it('is refused for a row that is too large, and a value that does not fit', async () => {
    for (const format of ['csv', 'ndjson', 'arrow'] as const)
      expect(await faultOf(written(format, `SELECT repeat('x', 10000)`, 1_000))).toMatch(/^too_large: /);
    expect(await faultOf(written('arrow', `SELECT 170141183460469231731687303715884105727 AS wide`))).toBe(
      'unheld: "wide" has an integer of more than 38 digits, which Arrow cannot hold. Cast it to VARCHAR.',
    );
  });
});
