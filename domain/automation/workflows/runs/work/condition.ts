import { isRawNumber } from '../../../../../data/exact-json.ts';
import { literal } from '../../../../../data/lake/sql.ts';
import type { QueryRelation } from '../../../../tables/query/request.ts';
import { rowsSelect } from '../../../../tables/stored-results/stored-results.ts';
import { checkedText } from '../../graphs/sql-values.ts';
import { inputsAt, type NodeCall, NodeFailed, type NodeInputValue, type NodeWork } from '../node-work.ts';
import type { NodeOutputs } from '../nodes.ts';
import { textOf } from '../values.ts';
import { runPinned } from './query.ts';

export const conditionWork: NodeWork = async (call) => {
  const { sql } = call.config as { sql: string };
  const [input] = inputsAt(call, 'input');
  const views: QueryRelation[] = [
    { name: 'input', id: 'input', definition: await definitionOf(call, input!), reads: [] },
  ];
  const { answer } = await runPinned(call, sql, { limit: 2, views });
  const rows = JSON.parse(answer.rowsWithColumnOrderJson ?? '[]') as { value: unknown }[][];
  const [cell] = rows[0] ?? [];
  if (rows.length !== 1 || rows[0]!.length !== 1 || typeof cell?.value !== 'boolean')
    throw new NodeFailed(
      'condition_invalid',
      `The condition returned ${shapeOf(rows)}. It must return one row with one boolean.`,
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
  return rows[0]![0]!.value === null ? 'NULL' : "a value that isn't a boolean";
}

/** The input as a SELECT, which passes the same guard as any statement. */
async function definitionOf({ deps }: NodeCall, { from, output }: NodeInputValue): Promise<string> {
  if (output.type === 'value') return `SELECT ${valueLiteral(output.value)} AS "value"`;
  if (output.type !== 'rows') throw new Error(`${from} returns no rows.`);
  return rowsSelect(deps.objects, output.rows);
}

function valueLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number' || isRawNumber(value)) return `CAST('${textOf(value)}' AS DOUBLE)`;
  return literal(checkedText(textOf(value), 'value'));
}
