import type { components, QueryAnswer } from '../../../clients/typescript/src/index.ts';
import { isNumeric } from '../parts/value.ts';

export type QueryChart = components['schemas']['QueryChart'];
export type ChartType = QueryChart['type'];

export interface Column {
  name: string;
  dataType: string;
}

/** An answer as it is drawn: cells under their columns. */
export interface Rows {
  columns: readonly Column[];
  rows: readonly (readonly unknown[])[];
}

export const rowsOf = ({ columns, rows_with_column_order: cells }: QueryAnswer): Rows => ({
  columns,
  rows: (cells ?? []).map((row) => row.map(({ value }) => value)),
});

export const chartOf = (type: ChartType, more: Partial<QueryChart> = {}): QueryChart => ({
  ...{ type, x: null, y: [], series: null, options: {} },
  ...more,
});

export const isTime = (dataType: string): boolean => /^(DATE|TIMESTAMP)/.test(dataType);

/** The chart that most people would choose for these rows. */
export function guessed({ columns, rows }: Rows): QueryChart {
  const numbers = columns.filter(({ dataType }) => isNumeric(dataType));
  const drawable = numbers.filter((column) => {
    const at = columns.indexOf(column);
    return rows.some((row) => row[at] !== null);
  });
  const measure = drawable.at(-1) ?? numbers.at(-1);
  if (measure === undefined) return chartOf('table');
  if (columns.length === 1)
    return rows.length === 1 ? chartOf('number', { y: [measure.name] }) : chartOf('table');
  const others = columns.filter(({ name }) => name !== measure.name);
  const time = others.find(({ dataType }) => isTime(dataType));
  const x = time ?? others.find(({ dataType }) => !isNumeric(dataType)) ?? others[0] ?? measure;
  const type = time !== undefined ? 'line' : isNumeric(x.dataType) && rows.length > 30 ? 'scatter' : 'bar';
  return chartOf(type, { x: x.name, y: [measure.name] });
}

/** Where a column of the chart is; an error says that it is not there. */
export const placeOf = (columns: readonly Column[], name: string): number | undefined => {
  const at = columns.findIndex((column) => column.name === name);
  return at === -1 ? undefined : at;
};

/** The columns of numbers that are drawn: those that were chosen, or all of them. */
export const measuresOf = ({ x, y, series }: QueryChart, { columns }: Rows): string[] =>
  y.length > 0
    ? y
    : columns
        .filter(
          ({ name, dataType }) => isNumeric(dataType) && name !== (x ?? columns[0]?.name) && name !== series,
        )
        .map(({ name }) => name);
