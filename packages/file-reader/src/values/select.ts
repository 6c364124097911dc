import { loadDateColumn } from '../options.ts';
import { identifier, literal } from '../sql.ts';
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
export function textSql(table: Pick<TextTable, 'isTagged'>, { source, type, form }: PlannedColumn): string {
  const text = `c${source}`;
  if (form.keepsEmpty === true && type.kind !== 'STRING') return `nullif(${text}, '')`;
  // A blank before it makes it a text that no nested type holds.
  if (table.isTagged && type.kind === 'NESTED')
    return `CASE t${source} WHEN 'o' THEN ${text} ELSE ' ' || ${text} END`;
  if (!table.isTagged || type.kind !== 'JSON') return text;
  return `CASE WHEN t${source} IN ('s', 'd') THEN CAST(to_json(${text}) AS VARCHAR) ELSE ${text} END`;
}

/**
 * Like `valueSql`, but the statement fails for text that does not fit, or null in a column that is not
 * nullable.
 */
function valueOrError(table: TextTable, column: PlannedColumn): string {
  if (column.source === undefined) return valueSql(table, column);
  const { source, type, form, inferred, nullable } = column;
  const text = form.keepsEmpty === true ? textSql(table, column) : `c${source}`;
  const value = inferred !== undefined ? castInferred(text, type, form) : valueSql(table, column);
  const failure = `CAST(error(${literal(unfit)}) AS ${engineType(type)})`;
  if (inferred === 'open')
    return `CASE WHEN nullif(${text}, '') IS NOT NULL THEN ${failure} ELSE ${text} END`;
  if (type.kind === 'STRING') {
    const checked = `CASE WHEN contains(${text}, chr(0)) THEN ${failure} ELSE ${value} END`;
    return nullable ? checked : `coalesce(${checked}, ${failure})`;
  }
  if (!nullable) return `coalesce(${value}, ${failure})`;
  return `coalesce(${value}, CASE WHEN ${text} IS NOT NULL THEN ${failure} END)`;
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
