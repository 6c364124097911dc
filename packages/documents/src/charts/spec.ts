import { DocumentFault } from '../fault.ts';
import { createLabels, type Measure, measureOf, millisecondsOf, numberOf, plainText } from './values.ts';

export const chartKinds = ['bar', 'line', 'area', 'scatter', 'pie'] as const;
export type ChartKind = (typeof chartKinds)[number];

export interface ChartRequest {
  kind: ChartKind;
  /** Names of columns of the result. */
  x: string;
  y: string;
  series?: string | undefined;
  title: string;
}

export interface ChartResult {
  columns: readonly { name: string; dataType: string }[];
  /** Values by position, as in a query's answer. */
  rows: readonly (readonly unknown[])[];
}

/** A complete Vega-Lite document, including its data. */
export type ChartDocument = Record<string, unknown>;

export const chartBounds = { rows: 5_000, categories: 200, series: 50, slices: 30 } as const;
const width = 640;
const height = 360;
const font = '"DejaVu Sans", sans-serif';
/** With more rows, points would hide their line. */
const pointedRows = 60;
const titleLine = 70;

/**
 * Its fields are named c0 (x), c1 (y), c2 (series) and n (the order of slices, and of the parts of a bar), so
 * that no user-supplied name is read as a path.
 */
type Datum = { c0: string | number | null; c1: number | null; c2?: string; n: number };

/**
 * The document of a chart. User-supplied names occur in it only as data or titles, never as fields or
 * expressions.
 *
 * @throws DocumentFault chart_refused, saying what to change
 */
export function chartSpec(request: ChartRequest, result: ChartResult): ChartDocument {
  const { kind } = request;
  const { rows } = result;
  if (rows.length === 0) throw refused('The result has no rows, so there is nothing to draw.');
  if (rows.length > chartBounds.rows) throw tooMany(rows.length, 'rows', chartBounds.rows);
  if (kind === 'pie' && request.series !== undefined)
    throw refused('A pie cannot have a series. Omit series, or draw bars.');
  const x = columnOf(result, request.x);
  const y = columnOf(result, request.y);
  const series = request.series === undefined ? undefined : columnOf(result, request.series);
  if (y.measure !== 'quantitative')
    throw refused(
      `The column ${quoted(y.name)} has the type ${y.dataType}, but y must be a column of numbers.`,
    );
  // Each bar or slice represents one value, whatever its type.
  const measure = kind === 'bar' || kind === 'pie' ? 'nominal' : x.measure;
  const toX = valuesOf(measure);
  const toSeries = createLabels();
  const seen = new Map<string, number>();
  const values = rows.map((row, index): Datum => {
    const datum = { c0: toX(row[x.index]), c1: numberOf(row[y.index]) };
    if (series === undefined) return { ...datum, n: index };
    const c2 = toSeries(row[series.index]);
    if (!seen.has(c2)) seen.set(c2, seen.size);
    return { ...datum, c2, n: seen.get(c2)! };
  });
  refuseUndrawable(kind, measure, values);
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: lines(plainText(request.title)), limit: 2 * width, anchor: 'start', offset: 12 },
    width: kind === 'pie' ? height : width,
    height,
    // Times are milliseconds already.
    data: { values, format: { type: 'json', parse: null } },
    mark: mark(kind, values.length),
    encoding:
      kind === 'pie'
        ? pieEncoding(x.title, values)
        : encoding({ kind, measure, values, titles: [x.title, y.title, series?.title] }),
    config,
  };
}

/**
 * Titles would be repeated in expressions for screen readers; the page that shows the chart provides better
 * ones.
 */
const config = {
  font,
  aria: false,
  background: 'white',
  padding: 12,
  view: { stroke: null },
  title: { fontSize: 15, fontWeight: 600 },
  axis: { labelFontSize: 11, titleFontSize: 12, titlePadding: 10, titleLimit: width, gridColor: '#e5e7eb' },
  legend: { labelFontSize: 11, titleFontSize: 12, labelLimit: 160, titleLimit: 160 },
};

interface Column {
  index: number;
  name: string;
  dataType: string;
  measure: Measure;
  title: string;
}

function columnOf({ columns }: ChartResult, name: string): Column {
  const index = columns.findIndex((column) => column.name === name);
  const column = columns[index];
  if (column !== undefined)
    return { index, ...column, measure: measureOf(column.dataType), title: plainText(name) };
  const known = columns.slice(0, 20).map((column) => quoted(column.name));
  throw refused(
    `The result has no column ${quoted(name)}. Its columns are ${known.join(', ')}${columns.length > 20 ? ' and more' : ''}.`,
  );
}

function valuesOf(measure: Measure): (value: unknown) => string | number | null {
  if (measure === 'quantitative') return numberOf;
  return measure === 'temporal' ? millisecondsOf : createLabels();
}

function refuseUndrawable(kind: ChartKind, measure: Measure, values: readonly Datum[]): void {
  if (values.every(({ c0, c1 }) => c0 === null || c1 === null))
    throw refused('No row has values for both x and y, so there is nothing to draw.');
  const series = new Set(values.map(({ c2 }) => c2)).size;
  if (series > chartBounds.series) throw tooMany(series, 'series', chartBounds.series);
  const categories = measure === 'nominal' ? new Set(values.map(({ c0 }) => c0)).size : 0;
  if (kind === 'pie' && categories > chartBounds.slices)
    throw tooMany(categories, 'slices', chartBounds.slices);
  if (categories > chartBounds.categories) throw tooMany(categories, 'categories', chartBounds.categories);
  if (kind === 'pie' && values.some(({ c1 }) => c1 !== null && c1 < 0))
    throw refused('A pie cannot show values below zero. Draw bars instead.');
  if (kind === 'pie' && values.every(({ c1 }) => (c1 ?? 0) === 0))
    throw refused('All values are zero, so a pie would have no slices.');
  // One would hide the other, and with it a part of the sum.
  const places = new Set(values.map(({ c0, c2 }) => JSON.stringify([c0, c2])));
  if (kind !== 'line' && kind !== 'scatter' && places.size < values.length)
    throw refused('Several rows have the same x (and series). Group the rows by them first.');
}

function mark(kind: ChartKind, rows: number): object {
  switch (kind) {
    case 'bar':
      return { type: 'bar' };
    case 'line':
      return { type: 'line', strokeWidth: 2, point: rows <= pointedRows };
    case 'area':
      return { type: 'area', opacity: 0.8, line: true };
    case 'scatter':
      return { type: 'circle', size: 45, opacity: 0.7 };
    case 'pie':
      return { type: 'arc', outerRadius: height / 2 - 10, stroke: 'white' };
  }
}

function encoding(chart: {
  kind: ChartKind;
  measure: Measure;
  values: readonly Datum[];
  titles: readonly [x: string, y: string, series: string | undefined];
}): object {
  const [x, y, series] = chart.titles;
  const byX = {
    nominal: { sort: null, axis: { ...categoryAxis(chart.values), title: x } },
    temporal: { scale: { type: 'utc' }, axis: { title: x, labelOverlap: 'greedy' } },
    quantitative: { scale: { zero: false }, axis: { title: x } },
  }[chart.measure];
  return {
    x: { field: 'c0', type: chart.measure, ...byX },
    y: {
      field: 'c1',
      type: 'quantitative',
      axis: { title: y },
      ...(chart.kind === 'line' || chart.kind === 'scatter' ? { scale: { zero: false } } : {}),
    },
    ...(series === undefined ? {} : seriesEncoding(chart.kind, series, chart.values)),
  };
}

/** Stacked parts are in the order of the legend. */
function seriesEncoding(kind: ChartKind, title: string, values: readonly Datum[]): object {
  const color = colors('c2', title, new Set(values.map(({ c2 }) => c2)));
  // For areas the renderer fills gaps with data that lacks our order field, so only the names are available.
  if (kind === 'area') return { color: { ...color, sort: 'ascending' } };
  if (kind !== 'bar') return { color };
  return { color, order: { field: 'n', type: 'quantitative', sort: 'descending' } };
}

function pieEncoding(title: string, values: readonly Datum[]): object {
  return {
    theta: { field: 'c1', type: 'quantitative', stack: true },
    color: colors('c0', title, new Set(values.map(({ c0 }) => c0))),
    order: { field: 'n', type: 'quantitative' },
  };
}

/** One color per series as far as they suffice; the legend lists all of them. */
function colors(field: string, title: string, names: ReadonlySet<unknown>): object {
  return {
    field,
    type: 'nominal',
    sort: null,
    scale: { scheme: names.size > 10 ? 'tableau20' : 'tableau10' },
    legend: { title, symbolLimit: chartBounds.series, columns: Math.ceil(names.size / 20) },
  };
}

function categoryAxis(values: readonly Datum[]): object {
  const labels = new Set(values.map(({ c0 }) => String(c0)));
  const longest = Math.max(...[...labels].map((label) => label.length));
  const room = width / labels.size;
  if (longest * 7.5 <= room) return { labelAngle: 0, labelOverlap: false };
  if (room >= 16) return { labelAngle: -45, labelLimit: 140, labelOverlap: false };
  return { labelAngle: -90, labelLimit: 140, labelOverlap: 'greedy' };
}

function lines(text: string): string[] {
  const made = [''];
  for (const word of text.split(' ')) {
    const last = made.at(-1)!;
    if (last === '') made[made.length - 1] = word;
    else if (last.length + word.length < titleLine) made[made.length - 1] = `${last} ${word}`;
    else made.push(word);
  }
  return made.map(plainText);
}

function tooMany(count: number, what: string, most: number): DocumentFault {
  return refused(
    `The chart would have ${count} ${what}; the limit is ${most}. Group or limit the rows first.`,
  );
}

function quoted(name: string): string {
  return `“${name.length > 80 ? `${name.slice(0, 80).toWellFormed()}…` : name}”`;
}

function refused(message: string): DocumentFault {
  return new DocumentFault('chart_refused', message);
}
