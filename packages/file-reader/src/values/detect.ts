import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { runRows } from '../out/run.ts';
import type { TextTable } from '../text/table.ts';
import { plainNumber } from './cast.ts';
import { classBit } from './classify.ts';
import { type DigitCounts, type InferredType, inferType, needsDigits, provenOrder } from './infer.ts';

/** Number of columns classified per pass; limits the values of a row in memory. */
const columnsAtOnce = 500;

/** Infers the types of all columns from the values in `from`, a relation of the table. */
export async function detectTypes(
  connection: DuckDBConnection,
  table: TextTable,
  from: string,
  signal: AbortSignal | undefined,
): Promise<InferredType[]> {
  const classes: bigint[] = [];
  const indexes = table.names.map((_, index) => index);
  for (let start = 0; start < indexes.length; start += columnsAtOnce) {
    const part = indexes.slice(start, start + columnsAtOnce);
    const terms = [`bit_or(${classBit('v', table.isTagged ? 't' : undefined, table.form)})`];
    const found = await aggregate(connection, table, from, part, terms, signal);
    for (const index of part) classes.push(BigInt((found.get(index)?.[0] ?? 0) as bigint | number));
  }
  const digits = await countDigits(
    connection,
    table,
    from,
    indexes.filter((index) => needsDigits(classes[index]!)),
    signal,
  );
  const order = provenOrder(classes);
  return classes.map((bits, index) => {
    const nested = table.nestedTypes?.[index];
    if (nested !== undefined)
      return { type: { kind: 'NESTED', name: nested }, pattern: undefined, certainty: 'sure' };
    return inferType(bits, digits.get(index), table.form.pattern, order);
  });
}

/**
 * Aggregates per column, as SQL over its values `v` and tags `t`. Values are unnested into rows, because an
 * expression per column would take the engine far longer to plan than a small file takes to read.
 */
async function aggregate(
  connection: DuckDBConnection,
  table: TextTable,
  from: string,
  indexes: readonly number[],
  terms: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<number, DuckDBValue[]>> {
  const each = (letter: string): string =>
    `unnest([${indexes.map((index) => `${letter}${index}`).join(', ')}])`;
  const values = [
    `${each('c')} AS v`,
    ...(table.isTagged ? [`${each('t')} AS t`] : []),
    `unnest([${indexes.join(', ')}]) AS i`,
  ];
  const rows = await runRows(
    connection,
    `SELECT i, ${terms.join(', ')} FROM (SELECT ${values.join(', ')} FROM ${from}) GROUP BY i`,
    signal,
  );
  return new Map(rows.map(([index, ...found]) => [Number(index), found]));
}

async function countDigits(
  connection: DuckDBConnection,
  table: TextTable,
  from: string,
  indexes: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Map<number, DigitCounts>> {
  const counts = new Map<number, DigitCounts>();
  if (indexes.length === 0) return counts;
  const number = plainNumber('v', table.form);
  const terms = [
    `max(length(ltrim(split_part(${number}, '.', 1), '-')))`,
    `max(length(split_part(${number}, '.', 2)))`,
  ];
  const found = await aggregate(connection, table, from, indexes, terms, signal);
  for (const index of indexes) {
    const [whole, scale] = found.get(index) ?? [];
    counts.set(index, { whole: Number(whole ?? 0), scale: Number(scale ?? 0) });
  }
  return counts;
}
