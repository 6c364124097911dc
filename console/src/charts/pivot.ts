import { cellText, isNumeric } from '../parts/value.ts';
import * as texts from '../texts/index.ts';
import { measuresOf, placeOf, type QueryChart, type Rows } from './chart.ts';
import { Undrawable } from './drawing.ts';

const maxColumns = 100;

/** A row for each value of x and a column for each value of the series. Numbers in one place are added up. */
export function pivoted(chart: QueryChart, { columns, rows }: Rows): Rows {
  const { x, series } = chart;
  const measure = chart.y[0] ?? measuresOf(chart, { columns, rows })[0];
  if (x === null || series === null || measure === undefined) throw new Undrawable(texts.charts.noPivot);
  const [xAt, seriesAt, yAt] = [x, series, measure].map((name) => {
    const at = placeOf(columns, name);
    if (at === undefined) throw new Undrawable(texts.charts.noColumn(name));
    return at;
  }) as [number, number, number];
  const places = new Map<string, number>();
  const found = new Map<string, unknown[]>();
  for (const row of rows) {
    const name = row[seriesAt] === null ? texts.parts.noValue : cellText(row[seriesAt]);
    const at = places.get(name) ?? places.size + 1;
    places.set(name, at);
    const key = JSON.stringify(row[xAt]);
    const cells = found.get(key) ?? [row[xAt]];
    found.set(key, cells);
    const [before, value] = [cells[at], row[yAt]];
    cells[at] = before == null || value === null ? (before ?? value) : Number(before) + Number(value);
  }
  if (places.size > maxColumns) throw new Undrawable(texts.charts.widePivot(places.size));
  const { dataType } = columns[yAt]!;
  const made = [...places.keys()].map((name) => ({ name, dataType }));
  return {
    columns: [columns[xAt]!, ...made],
    rows: [...found.values()].map((cells) =>
      Array.from({ length: places.size + 1 }, (_, at) => cells[at] ?? null),
    ),
  };
}

/** A value as the one thing that is looked at: numbers have separators. */
export function bigText(value: unknown, dataType: string): string {
  const number = Number(value);
  if (value === null || !isNumeric(dataType) || !Number.isFinite(number)) return cellText(value) || '–';
  return number.toLocaleString(undefined, { maximumFractionDigits: 2 });
}
