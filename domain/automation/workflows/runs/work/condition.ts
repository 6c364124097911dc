import { isRawNumber } from '../../../../../data/exact-json.ts';
import { readRows } from '../../../../tables/kept-rows/kept-rows.ts';
import type { QueryRelation } from '../../../../tables/query/request.ts';
import { checkedText } from '../../graphs/sql-values.ts';
import { inputsAt, type NodeCall, NodeFailed, type NodeInputValue, type NodeWork } from '../node-work.ts';
import type { NodeOutputs } from '../nodes.ts';
import { textOf } from '../values.ts';
import { runPinned } from './query.ts';

/** The input is part of the statement's text. */
const maxRows = 1_000;
const maxCharacters = 500_000;

export const conditionWork: NodeWork = async (call) => {
  const { sql } = call.config as { sql: string };
  const [input] = inputsAt(call, 'input');
  const views: QueryRelation[] = [
    { name: 'input', id: 'input', definition: await definitionOf(call, input!) },
  ];
  const { answer } = await runPinned(call, sql, { limit: 2, views });
  const rows = JSON.parse(answer.rowsWithColumnOrderJson ?? '[]') as { value: unknown }[][];
  const [cell] = rows[0] ?? [];
  if (rows.length !== 1 || rows[0]!.length !== 1 || typeof cell?.value !== 'boolean')
    throw new NodeFailed(
      'condition_invalid',
      `The condition gave ${shapeOf(rows)}; it must give one row with one boolean.`,
      { isFinal: true },
    );
  const outputs: NodeOutputs = cell.value
    ? { yes: { type: 'value', value: true } }
    : { no: { type: 'value', value: false } };
  return { kind: 'done', outputs };
};

function shapeOf(rows: readonly { value: unknown }[][]): string {
  if (rows.length !== 1) return rows.length === 0 ? 'no row' : 'more than one row';
  if (rows[0]!.length !== 1) return `${rows[0]!.length} columns`;
  return rows[0]![0]!.value === null ? 'NULL' : 'a value that is no boolean';
}

/** Types to and from which a text can be cast without loss. All others are read as text. */
const castable =
  /^(BOOLEAN|U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(\d+,\d+\)|VARCHAR|UUID|DATE|TIME|INTERVAL|TIMESTAMP(_S|_MS|_NS)?|TIMESTAMP WITH TIME ZONE)$/;

/** The input as a SELECT of literals, which passes the same guard as any statement. */
async function definitionOf({ deps }: NodeCall, { from, output }: NodeInputValue): Promise<string> {
  if (output.type === 'value') return `SELECT ${valueLiteral(output.value)} AS "value"`;
  if (output.type !== 'rows') throw new Error(`${from} gives no rows.`);
  const { columns } = output.rows;
  const types = columns.map(({ dataType }) => (castable.test(dataType) ? dataType : 'VARCHAR'));
  if (output.rows.rowCount > maxRows) throw tooMany(from);
  const rows = await readRows(deps.objects, output.rows);
  const names = columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`);
  const row = (cells: readonly string[]) =>
    cells.map((cell, index) => `CAST(${cell} AS ${types[index]}) AS ${names[index]}`).join(', ');
  const selects = rows.map((cells) => `SELECT ${row(cells.map((cell) => literalOf(cell, from)))}`);
  if (selects.length === 0) return `SELECT ${row(columns.map(() => 'NULL'))} WHERE FALSE`;
  const sql = selects.join(' UNION ALL ');
  if (sql.length > maxCharacters) throw tooMany(from);
  return sql;
}

const literalOf = (cell: unknown, from: string): string =>
  cell === null || cell === undefined ? 'NULL' : quotedText(textOf(cell), from);

function valueLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number' || isRawNumber(value)) return `CAST('${textOf(value)}' AS DOUBLE)`;
  return quotedText(textOf(value), 'value');
}

const quotedText = (text: string, from: string): string =>
  `'${checkedText(text, from).replaceAll("'", "''")}'`;

const tooMany = (from: string) =>
  new NodeFailed(
    'query_too_large',
    `A condition reads at most ${maxRows} rows, and ${from} gives more: aggregate them there.`,
    { isFinal: true },
  );
