import type { ResultSet } from './catalog.ts';
import type { ChartKind, Question } from './question.ts';
import { titleOf } from './wording.ts';

export interface ChartCall {
  result_id: string;
  kind: ChartKind;
  x: string;
  y: string;
  series?: string;
  title: string;
}

const seriesPoints = 3;

/** The requested chart, or one for a series over time; or why there can be none. */
export function chartOf(question: Question, result: ResultSet): ChartCall | string | undefined {
  const { groups, measures, chart, kind } = question;
  const isOrdered = question.order?.by === 'groups';
  const isTime =
    isOrdered && groups.some(({ column, period }) => period !== undefined || column.kind === 'date');
  const isSeries = groups.length > 0 && isTime && result.rows.length >= seriesPoints;
  if (chart === undefined && !isSeries) return undefined;
  if (result.rows.length === 0) return 'There is nothing to draw.';
  const common = { result_id: result.resultId, title: titleOf(question) };
  if (kind === 'rows') {
    const [x, y] = question.columns;
    if (chart !== 'scatter' || x === undefined || y === undefined)
      return 'I can only draw rows as a scatter plot of two columns of numbers; name a group for another chart.';
    return { ...common, kind: 'scatter', x: x.name, y: y.name };
  }
  if (groups.length === 0) return "A single figure can't be a chart. Say how to split it, as in “by month”.";
  const x = groups.find(({ period }) => period !== undefined) ?? groups[0]!;
  const series = groups.find((group) => group !== x);
  const wanted = chart === undefined || chart === 'any' ? (isTime ? 'line' : 'bar') : chart;
  const call: ChartCall = { ...common, kind: wanted, x: x.label, y: measures[0]!.label };
  return series === undefined ? call : { ...call, series: series.label };
}
