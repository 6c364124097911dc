/** What bench/verification.ts tests, and with which tests. */
import { DuckDBInstance } from '@duckdb/node-api';
import { literal } from '../data/lake/sql.ts';

export interface Definition {
  kind: string;
  params: object;
  target: object;
}

export const states = list('state', 5);
const kinds = list('kind', 10);
const cities = list('city', 50);
/** Twenty columns; every second one lacks some values, so that statistics alone do not decide its tests. */
export const columns: Record<string, string> = {
  id: 'i',
  code: `'c' || i`,
  pair: 'i // 2',
  tenth: 'CAST(hash(i) // 10 % 1000000 AS BIGINT)',
  many: 'CAST(hash(i + 1) % 100000 AS BIGINT)',
  few: 'CAST(hash(i + 2) % 1000 AS BIGINT)',
  city: `'city' || hash(i + 3) % 50`,
  state: `'state' || hash(i + 4) % 5`,
  kind: `'kind' || hash(i + 5) % 10`,
  flag: 'hash(i + 6) % 2 = 0',
  level: 'CAST(hash(i + 7) % 10 AS BIGINT)',
  amount: 'CAST((hash(i + 8) % 1000000) / 100.0 AS DECIMAL(18,2))',
  price: '(hash(i + 9) % 100000) / 100.0::DOUBLE',
  quantity: 'CAST(hash(i + 10) % 1000 AS BIGINT)',
  day: `DATE '2026-01-01' + CAST(hash(i + 11) % 300 AS INTEGER)`,
  seen_at: `TIMESTAMP '2026-01-01' + to_seconds(hash(i + 12) % 10000000)`,
  note: `'note ' || hash(i + 13) % 100000`,
  ratio: '(hash(i + 14) % 1000) / 1000.0::DOUBLE',
  score: 'CAST(hash(i + 15) % 100 AS BIGINT)',
  width: 'CAST(hash(i + 16) % 5000 AS BIGINT)',
};
export const names = Object.keys(columns);

function list(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

/** The rows of the table that is scanned. */
export function scannedRows(rows: number): string {
  const list = Object.entries(columns).map(([column, value], index) =>
    index % 2 === 0
      ? `${value} AS ${column}`
      : `CASE WHEN i % 1000 <> ${index} THEN ${value} END AS ${column}`,
  );
  return `SELECT ${list.join(', ')} FROM range(${rows}) AS t(i)`;
}

export const orders = (rows: number): string => `SELECT i AS id, 'customer ' || hash(i) % 100000 AS customer,
  hash(i + 1) % 1000 AS shop, CAST((hash(i + 2) % 1000000) / 100.0 AS DECIMAL(18,2)) AS amount,
  hash(i + 3) % 1000 AS quantity, DATE '2020-01-01' + CAST(hash(i + 4) % 1500 AS INTEGER) AS day,
  hash(i + 5) % 2 = 0 AS active, 'state' || hash(i + 6) % 5 AS state FROM range(${rows}) AS t(i)`;

/** Ten tests of orders: seven that rows alone decide, one of a key, one of the whole, one of another table. */
export function gateTests(tableId: string, toTableId: string, rows: number): Definition[] {
  const expressions = [
    'amount >= 0',
    'quantity < 1000',
    `day >= DATE '2020-01-01'`,
    'shop BETWEEN 0 AND 999',
  ];
  const tests: [string, object][] = [
    ['not_null', { columns: ['id', 'customer'] }],
    ['not_null', { columns: ['amount'] }],
    ['accepted_values', { column: 'state', values: states }],
    ...expressions.map((expression): [string, object] => ['expression', { expression }]),
    ['unique', { columns: ['id'] }],
    ['row_count', { min: rows, max: rows }],
    ['relationship', { columns: ['shop'], to_table_id: toTableId, to_columns: ['no'] }],
  ];
  return tests.map(([kind, params]) => ({ kind, params, target: { table_id: tableId } }));
}

export const keys = ['id', 'code', 'pair', 'tenth', 'many', 'few', 'city', 'seen_at', 'note', 'width'];

/** 490 tests that rows alone decide, no two alike, and ten of keys. Half of them fail. */
export function scanTests(tableId: string): Definition[] {
  const at = <T>(values: readonly T[], index: number): T => values[index % values.length]!;
  const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other]));
  const notNull = [...names.map((one) => [one]), ...pairs.slice(0, 180)];
  const accepted = Array.from({ length: 150 }, (_, index) => {
    const column = at(['city', 'state', 'kind', 'level', 'score'], index);
    const values = { city: cities, state: states, kind: kinds }[column] ?? [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    const more = typeof values[0] === 'string' ? `other${index}` : 1_000 + index;
    return { column, values: [...values, more] };
  });
  const expressions = Array.from({ length: 140 }, (_, index) =>
    at(
      [
        `quantity >= ${index}`,
        `amount < ${index * 70}`,
        `price <> ${index}`,
        `day >= DATE '2025-12-01' + ${index * 3}`,
        `width + score > ${index}`,
        `ratio <= ${index} / 100`,
        `few < ${index * 8} OR flag`,
      ],
      index,
    ),
  );
  const target = { table_id: tableId };
  return [
    ...notNull.map((params) => ({ kind: 'not_null', params: { columns: params }, target })),
    ...accepted.map((params) => ({ kind: 'accepted_values', params, target })),
    ...expressions.map((expression) => ({ kind: 'expression', params: { expression }, target })),
    ...keys.map((key) => ({ kind: 'unique', params: { columns: [key] }, target })),
  ];
}

export async function writeFile(file: string, select: string, format: string): Promise<string> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${select}) TO ${literal(file)} (FORMAT ${format})`);
  connection.closeSync();
  instance.closeSync();
  return file;
}
