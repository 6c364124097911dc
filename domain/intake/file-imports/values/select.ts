import { identifier, literal } from '../../../../data/lake/sql.ts';
import { loadDateColumn } from '../options.ts';
import type { TextTable } from '../text/table.ts';
import { castText, engineType } from './cast.ts';
import { castInferred } from './cast-inferred.ts';
import type { PlannedColumn } from './plan.ts';

/** Message of `error()` for a value that does not fit; the engine's messages must not contain data. */
export const unfit = 'import: a value does not fit';

/** SQL for a column's value: NULL for null and for text that does not fit. */
export function valueSql(table: Pick<TextTable, 'isTagged'>, column: PlannedColumn): string {
  if (column.source === undefined) return `CAST(NULL AS ${engineType(column.type)})`;
  return castText(textSql(table, column), column.type, column.form);
}

/** SQL for the text that a column's value is cast from: strings of typed formats become JSON strings. */
export function textSql(table: Pick<TextTable, 'isTagged'>, { source, type }: PlannedColumn): string {
  const text = `c${source}`;
  if (!table.isTagged || type.kind !== 'JSON') return text;
  return `CASE WHEN t${source} IN ('s', 'd') THEN CAST(to_json(${text}) AS VARCHAR) ELSE ${text} END`;
}

/**
 * Like `valueSql`, but the statement fails for text that does not fit, or null in a column that is not
 * nullable.
 */
function valueOrError(table: TextTable, column: PlannedColumn): string {
  if (column.source === undefined) return valueSql(table, column);
  const value =
    column.inferred !== undefined
      ? castInferred(`c${column.source}`, column.type, column.form)
      : valueSql(table, column);
  const failure = `CAST(error(${literal(unfit)}) AS ${engineType(column.type)})`;
  if (!column.nullable) return `coalesce(${value}, ${failure})`;
  if (column.inferred === 'open') return `CASE WHEN c${column.source} IS NOT NULL THEN ${failure} END`;
  if (column.type.kind === 'STRING') return value;
  return `coalesce(${value}, CASE WHEN c${column.source} IS NOT NULL THEN ${failure} END)`;
}

export interface SelectOptions {
  /** Microseconds since the epoch, or undefined for no load date. */
  loadDateMicros: bigint | undefined;
  onUnfit: 'error' | 'null';
}

/** The columns of the table to create, in order. */
export function selectList(table: TextTable, plan: readonly PlannedColumn[], options: SelectOptions): string {
  const value = options.onUnfit === 'error' ? valueOrError : valueSql;
  const columns = plan.map((column) => `${value(table, column)} AS ${identifier(column.name)}`);
  if (options.loadDateMicros !== undefined) {
    columns.push(`make_timestamp(${options.loadDateMicros}) AS ${identifier(loadDateColumn)}`);
  }
  return columns.join(',\n');
}
