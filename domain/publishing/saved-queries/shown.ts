import { AppError } from '../../../data/errors.ts';
import { isRawNumber, parseExactJson } from '../../../data/exact-json.ts';
import type { QueryAnswer } from '../../tables/query/request.ts';
import type { ChartDrawer } from '../documents/drawer.ts';
import { chartDocument } from '../documents/faults.ts';
import type { Chart } from './chart.ts';

interface Column {
  name: string;
  dataType: string;
}

export interface Rows {
  columns: readonly Column[];
  rows: readonly (readonly unknown[])[];
  /** Whether there were more. */
  isCut: boolean;
}

/** What a page shows of an answer. */
export type Shown =
  | { kind: 'picture'; svg: string }
  | { kind: 'number'; text: string; label: string }
  | {
      kind: 'table';
      columns: { name: string; isNumber: boolean }[];
      rows: string[][];
      isCut: boolean;
      /** Why there is no chart. */
      fault?: string;
    };

const maxPivotColumns = 100;
const maxRows = 500;
const numbers = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|BIGNUM|DOUBLE|FLOAT|DECIMAL.*)$/;

/** The rows of an answer that has them with their column order. */
export function rowsOf({ columns, rowsWithColumnOrderJson, truncated }: QueryAnswer): Rows {
  const cells = parseExactJson(rowsWithColumnOrderJson ?? '[]') as unknown as { value: unknown }[][];
  return { columns, rows: cells.map((row) => row.map(({ value }) => value)), isCut: truncated };
}

/** Rows as a chart. Rows that can't be drawn are a table, with the reason. */
export async function shownRows(
  { charts }: { charts: Pick<ChartDrawer, 'svg'> },
  organizationId: string,
  { chart, title, rows }: { chart: Chart | null; title: string; rows: Rows },
  signal: AbortSignal,
): Promise<Shown> {
  if (chart === null || chart.type === 'table') return tableOf(rows);
  try {
    if (chart.type === 'number') return numberOf(chart, rows);
    if (chart.type === 'pivot') return tableOf(pivotOf(chart, rows));
    const { request, result } = drawable(chart, rows);
    const document = chartDocument({ ...request, kind: chart.type, title }, result);
    return { kind: 'picture', svg: await charts.svg(organizationId, document, signal) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...tableOf(rows), fault: error.message };
  }
}

function tableOf({ columns, rows, isCut }: Rows): Shown & { kind: 'table' } {
  return {
    kind: 'table',
    columns: columns.map(({ name, dataType }) => ({ name, isNumber: numbers.test(dataType) })),
    rows: rows.slice(0, maxRows).map((row) => row.map(textOf)),
    isCut: isCut || rows.length > maxRows,
  };
}

function numberOf({ y }: Chart, { columns, rows }: Rows): Shown {
  const at = y[0] === undefined ? 0 : placeOf(columns, y[0]);
  return { kind: 'number', text: textOf(rows[0]?.[at] ?? null), label: columns[at]?.name ?? '' };
}

/**
 * What is drawn of a chart with one column of numbers. Several such columns become rows, with the name of
 * each column as a series.
 */
function drawable({ x, y, series }: Chart, given: Rows) {
  const { columns, rows } = given;
  const xName = x ?? columns[0]?.name ?? '';
  const measured = y.length > 0 ? y : columns.filter(isMeasure(xName, series)).map(({ name }) => name);
  const [only = ''] = measured;
  if (measured.length <= 1)
    return { request: { x: xName, y: only, ...(series === null ? {} : { series }) }, result: given };
  const xAt = placeOf(columns, xName);
  const seriesAt = series === null ? undefined : placeOf(columns, series);
  const melted = measured.flatMap((name) => {
    const at = placeOf(columns, name);
    return rows.map((row) => {
      const label = seriesAt === undefined ? name : `${textOf(row[seriesAt])} · ${name}`;
      return [row[xAt], row[at], label];
    });
  });
  // Another name than that of x, so that each is found.
  const [value, column] = ['value', 'column'].map((name) => (name === xName ? `${name} ` : name)) as [
    string,
    string,
  ];
  const { dataType } = columns[placeOf(columns, only)]!;
  return {
    request: { x: xName, y: value, series: column },
    result: {
      columns: [columns[xAt]!, { name: value, dataType }, { name: column, dataType: 'STRING' }],
      rows: melted,
    },
  };
}

const isMeasure = (x: string, series: string | null) => (column: Column) =>
  column.name !== x && column.name !== series && numbers.test(column.dataType);

/** A row for each value of x and a column for each value of the series; numbers in one place are added up. */
function pivotOf({ x, y, series }: Chart, { columns, rows, isCut }: Rows): Rows {
  if (x === null || series === null || y[0] === undefined)
    throw new AppError('invalid_request', 'A pivot needs x, a series and y.');
  const [xAt, seriesAt, yAt] = [placeOf(columns, x), placeOf(columns, series), placeOf(columns, y[0])];
  const names = new Map<string, number>();
  const found = new Map<string, unknown[]>();
  for (const row of rows) {
    const name = textOf(row[seriesAt]);
    if (!names.has(name)) names.set(name, names.size + 1);
    const key = textOf(row[xAt]);
    const cells = found.get(key) ?? [row[xAt]];
    const at = names.get(name)!;
    const before = cells[at];
    const value = row[yAt];
    cells[at] = typeof before === 'number' && typeof value === 'number' ? before + value : value;
    found.set(key, cells);
  }
  if (names.size > maxPivotColumns)
    throw new AppError(
      'invalid_request',
      `The pivot would have ${names.size} columns; the limit is ${maxPivotColumns}. Group the rows first.`,
    );
  const { dataType } = columns[yAt]!;
  const made = [...names.keys()].map((name) => ({ name, dataType }));
  return {
    columns: [columns[xAt]!, ...made],
    rows: [...found.values()].map((cells) => Array.from({ length: names.size + 1 }, (_, at) => cells[at])),
    isCut,
  };
}

function placeOf(columns: readonly Column[], name: string): number {
  const at = columns.findIndex((column) => column.name === name);
  if (at === -1) throw new AppError('invalid_request', `The result has no column ${name}.`);
  return at;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
