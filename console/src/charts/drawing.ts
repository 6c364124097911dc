import { isNumeric } from '../parts/value.ts';
import * as texts from '../texts/index.ts';
import { isTime, measuresOf, placeOf, type QueryChart, type Rows } from './chart.ts';

/** More marks than that nobody tells apart. */
export const maxMarks = 5_000;
/** So many words fit below an axis without being turned. */
const mostUpright = 8;
const pointsUpTo = 60;

/** Why rows have no drawing, for whoever looks at them. */
export class Undrawable extends Error {}

type FieldType = 'quantitative' | 'temporal' | 'nominal';

interface Mark {
  x: unknown;
  y: unknown;
  color?: unknown;
}

const marks = { bar: 'bar', line: 'line', area: 'area', scatter: 'point', pie: 'arc' } as const;
export type DrawnType = keyof typeof marks;
export const isDrawn = (type: QueryChart['type']): type is DrawnType => type in marks;

/** The rows in Vega-Lite. Fields have names of our own, since those of columns may hold anything. */
export function drawing(chart: QueryChart & { type: DrawnType }, given: Rows) {
  const { columns } = given;
  const { type } = chart;
  const at = (name: string): number => {
    const place = placeOf(columns, name);
    if (place === undefined) throw new Undrawable(texts.charts.noColumn(name));
    return place;
  };
  const x = chart.x ?? columns[0]?.name ?? '';
  const measures = measuresOf(chart, given);
  if (measures.length === 0) throw new Undrawable(texts.charts.noNumbers);
  const xType = typeOf(columns[at(x)]!.dataType);
  const rows = given.rows.slice(0, maxMarks);
  const seriesAt = chart.series === null ? undefined : at(chart.series);
  const values = measures.flatMap((measure) => {
    const [xAt, yAt] = [at(x), at(measure)];
    return rows.map((row): Mark => {
      const parts = [
        ...(seriesAt === undefined ? [] : [row[seriesAt] ?? texts.parts.noValue]),
        ...(measures.length > 1 ? [measure] : []),
      ];
      return {
        x: plotted(row[xAt], xType),
        y: plotted(row[yAt], 'quantitative'),
        ...(parts.length === 0 ? {} : { color: parts.map(String).join(' · ') }),
      };
    });
  });
  const yTitle = measures.length === 1 ? measures[0] : texts.charts.values;
  const color = { field: 'color', type: 'nominal', sort: null, legend: { title: null, orient: 'top' } };
  const hasColor = seriesAt !== undefined || measures.length > 1;
  if (type === 'pie')
    return {
      data: { values: values.map((value) => ({ ...value, x: String(value.x ?? texts.parts.noValue) })) },
      mark: { type: marks.pie, innerRadius: 0 },
      encoding: {
        theta: { field: 'y', type: 'quantitative', title: yTitle, stack: true },
        color: { field: 'x', type: 'nominal', title: x, sort: null, legend: { orient: 'right' } },
        order: { field: 'y', type: 'quantitative', sort: 'descending' },
      },
    };
  return {
    data: { values },
    mark: {
      type: marks[type],
      ...(type === 'line' && values.length <= pointsUpTo ? { point: true } : {}),
      ...(type === 'area' ? { opacity: 0.7, line: true } : {}),
      ...(type === 'bar' && xType === 'temporal' ? { width: { band: 0.8 } } : {}),
    },
    encoding: {
      x: { field: 'x', title: x, ...axis(type, xType, values) },
      y: { field: 'y', type: 'quantitative', title: yTitle, axis: { tickCount: 5 } },
      ...(hasColor ? { color } : {}),
    },
  };
}

/** The order of the rows stays, as the statement put them. */
function axis(type: DrawnType, xType: FieldType, values: readonly Mark[]): object {
  if (xType === 'temporal') return { type: xType, axis: { grid: false, labelOverlap: true } };
  if (xType === 'quantitative' && type !== 'bar') return { type: xType, axis: { grid: false } };
  const labels = new Set(values.map(({ x }) => String(x)));
  const isShort = labels.size <= mostUpright && [...labels].every((label) => label.length <= 14);
  return {
    ...{ type: 'ordinal', sort: null },
    axis: { grid: false, labelAngle: isShort ? 0 : -40, labelOverlap: true, labelLimit: 120 },
  };
}

function typeOf(dataType: string): FieldType {
  if (isNumeric(dataType)) return 'quantitative';
  return isTime(dataType) ? 'temporal' : 'nominal';
}

const plotted = (value: unknown, type: FieldType): unknown =>
  value !== null && type === 'quantitative' ? Number(value) : value;
