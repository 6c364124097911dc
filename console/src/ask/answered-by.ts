import type { Message } from '../../../clients/typescript/src/index.ts';
import { type ChartType, chartOf, type QueryChart } from '../charts/chart.ts';

/** The statement that a reply is based on, with the chart that was drawn of its rows. */
export interface AnsweredBy {
  sql: string;
  chart: QueryChart | null;
  title: string | undefined;
}

const textIn = (input: unknown, name: string): string | undefined => {
  const value = (input as Record<string, unknown> | null)?.[name];
  return typeof value === 'string' ? value : undefined;
};

/** That of the last chart, or else the last statement that was run; undefined if none was. */
export function answeredBy({ parts }: Message): AnsweredBy | undefined {
  const calls = Object.values(parts).flatMap((part) =>
    part.type === 'tool_call' && part.status === 'done' ? [part] : [],
  );
  const run = calls.flatMap(({ input, resultId }) => {
    const sql = textIn(input, 'sql');
    return sql === undefined ? [] : [{ sql, resultId }];
  });
  const drawn = calls.findLast(
    ({ input }) => textIn(input, 'result_id') !== undefined && textIn(input, 'kind'),
  );
  const from = run.find(
    ({ resultId }) => resultId !== null && resultId === textIn(drawn?.input, 'result_id'),
  );
  const last = from ?? run.at(-1);
  if (last === undefined) return undefined;
  const { input } = from === undefined ? { input: undefined } : drawn!;
  const [x, y] = [textIn(input, 'x'), textIn(input, 'y')];
  return {
    sql: last.sql,
    title: textIn(input, 'title'),
    chart:
      x === undefined || y === undefined
        ? null
        : chartOf(textIn(input, 'kind') as ChartType, { x, y: [y], series: textIn(input, 'series') ?? null }),
  };
}
