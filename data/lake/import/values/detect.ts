import type { DuckDBConnection } from '@duckdb/node-api';
import { runRows } from '../out/run.ts';
import type { TextTable } from '../text/table.ts';
import { plainNumber } from './cast.ts';
import { classBit } from './classify.ts';
import { type DigitCounts, type InferredType, inferType, needsDigits, provenOrder } from './infer.ts';

/** Columns judged in one pass: an aggregate per column over thousands of columns would take minutes to plan. */
const columnsAtOnce = 100;

/** The types of all columns from the values of `from`, a relation of the table. */
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
    const bits = part.map((index) => `bit_or(${classBit(`c${index}`, tagOf(table, index), table.form)})`);
    const [row] = await runRows(connection, `SELECT ${bits.join(',\n')} FROM ${from}`, signal);
    for (const value of row ?? []) classes.push(typeof value === 'bigint' ? value : 0n);
  }
  const digits = await countDigits(
    connection,
    table,
    from,
    indexes.filter((index) => needsDigits(classes[index]!)),
    signal,
  );
  const order = provenOrder(classes);
  return classes.map((bits, index) => inferType(bits, digits.get(index), table.form.pattern, order));
}

function tagOf(table: TextTable, index: number): string | undefined {
  return table.isTagged ? `t${index}` : undefined;
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
  const terms = indexes.flatMap((index) => {
    const number = plainNumber(`c${index}`, table.form);
    return [
      `max(length(ltrim(split_part(${number}, '.', 1), '-')))`,
      `max(length(split_part(${number}, '.', 2)))`,
    ];
  });
  const [row = []] = await runRows(connection, `SELECT ${terms.join(', ')} FROM ${from}`, signal);
  for (const [position, index] of indexes.entries()) {
    counts.set(index, { whole: Number(row[2 * position] ?? 0), scale: Number(row[2 * position + 1] ?? 0) });
  }
  return counts;
}
