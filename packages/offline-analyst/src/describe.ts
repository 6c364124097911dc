import { type Column, isSystemColumn, type ResultSet, type Table } from './catalog.ts';
import { code, escaped, resultTable, table as tableOf } from './markdown.ts';
import { caveatsText } from './wording.ts';

const columnsOf = (names: readonly string[]) => names.map((name) => ({ name }));

/** Describes tables and columns from the catalog. */
export function tablesText(tables: readonly Table[]): string {
  const rows = tables.map(({ name, rowCount, columns, description, note }) => [
    name,
    rowCount,
    columns
      .filter((column) => !isSystemColumn(column.name))
      .map((column) => column.name)
      .join(', '),
    [description, note].filter((text) => text !== '').join(' – '),
  ]);
  const count = tables.length === 1 ? 'One table is attached' : `${tables.length} tables are attached`;
  const shown = rows.slice(0, 50);
  const more = rows.length > shown.length ? `\n\n… and ${rows.length - shown.length} more.` : '';
  return `${count}:\n\n${tableOf(columnsOf(['table', 'rows', 'columns', 'description']), shown)}${more}`;
}

export function tableText(table: Table): string {
  const about = [table.description, table.note].filter((text) => text !== '').map(escaped);
  const head = `${code(table.name)} has ${table.rowCount ?? 'an unknown number of'} rows and ${table.columns.length} columns. ${about.join(' ')}`;
  const names = ['column', 'type', 'missing', 'different', 'lowest', 'highest', 'values'];
  const rows = table.columns.map((column) => [
    column.name,
    column.dataType,
    column.nulls,
    differentIn(column),
    column.min,
    column.max,
    column.values == null ? null : listed(column.values, 8),
  ]);
  return [head.trim(), tableOf(columnsOf(names), rows), ...caveatsText(table)].join('\n\n');
}

/** How many different values there are, as far as is known. */
function differentIn({ distinct, isApproximate }: Column): number | string | undefined {
  return isApproximate === true ? `about ${distinct}` : distinct;
}

function listed(values: readonly string[], most: number): string {
  const more = values.length > most ? ', …' : '';
  return values.slice(0, most).join(', ') + more;
}

export function columnText(column: Column, described: Table): string {
  const { name, table, dataType, nulls, min, max, values } = column;
  const missing = nulls === 1 ? '1 is missing' : `${nulls} are missing`;
  const range = min == null ? '' : ` The lowest is ${escaped(min)}, the highest ${escaped(max ?? '')}.`;
  const all =
    values == null ? '' : `\n\nIts values: ${values.map((value) => `“${escaped(value)}”`).join(', ')}.`;
  const text = `${code(name)} of ${code(table)} is of type ${escaped(dataType)}: of ${described.rowCount} rows ${missing}, and there are ${differentIn(column)} different values.${range}${all}`;
  return [text, ...caveatsText(described)].join('\n\n');
}

export function sampleText(table: string, result: ResultSet): string {
  if (result.rows.length === 0) return `${code(table)} has no rows.`;
  const shown = result.columns.flatMap(({ name }, index) => (isSystemColumn(name) ? [] : [index]));
  const columns = shown.map((index) => result.columns[index]!);
  const rows = result.rows.map((row) => shown.map((index) => row[index]));
  return `${rows.length} rows of ${code(table)}:\n\n${resultTable({ ...result, columns, rows })}`;
}
