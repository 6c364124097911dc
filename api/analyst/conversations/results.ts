import { z } from 'zod';
import { getChart, readChart, readPng } from '../../../domain/analyst/conversations/charts.ts';
import { getResult, readRows } from '../../../domain/analyst/conversations/results.ts';
import { camelCase } from '../../../packages/row-formats/index.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { clientGone, sendText } from '../../reply.ts';
import { type Load, route } from '../../route.ts';
import { decodeCursor, encodeCursor, integerText, pageQuery } from '../../schemas.ts';
import { queryAnswer, queryExample } from '../../tables/query-executions/schemas.ts';
import { conversationPath, loadConversation } from './paths.ts';

const resultPath = `${conversationPath}/results/:result_id` as const;
const chartPath = `${conversationPath}/charts/:chart_id` as const;

const loadResult: Load<typeof resultPath, Awaited<ReturnType<typeof getResult>>> = async (
  db,
  organizationId,
  params,
) => getResult(db, organizationId, (await loadConversation(db, organizationId, params)).id, params.result_id);

const loadChart: Load<typeof chartPath, Awaited<ReturnType<typeof getChart>>> = async (
  db,
  organizationId,
  params,
) => getChart(db, organizationId, (await loadConversation(db, organizationId, params)).id, params.chart_id);

const resultQuery = pageQuery.extend({
  limit: integerText(z.int().min(1).max(10_000).default(100)).describe('The number of rows per page.'),
});

const resultAnswer = z.object({ data: queryAnswer, nextCursor: z.string().nullable() }).meta({
  examples: [{ data: { ...queryExample, id: 'res_01kahz3v6dfyvb1s8m3h9q2w4x' }, nextCursor: null }],
});

const chartQuery = z.object({ format: z.enum(['svg', 'png', 'json']).default('svg') });

const vegaLiteDocument = z.looseObject({}).meta({
  id: 'VegaLiteDocument',
  examples: [{ mark: { type: 'bar' }, data: { values: [{ c0: 'Porto', c1: 3 }] } }],
});

/** Results of the analyst's tools: rows that it read, charts that it drew. */
export function toolResultsRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: 'Conversations' };
  route(
    app,
    at,
    ['GET', resultPath],
    {
      summary: 'Show the rows of a result',
      description:
        'Returns the rows as the analyst saw them, by the `resultId` of a tool call. Up to 10,000 rows are kept. `truncated` says whether there were more.',
      exists: loadResult,
      query: resultQuery,
    },
    { 200: resultAnswer },
    async ({ organizationId, params, query, caller, request, reply, transaction }) => {
      const result = await transaction((db) => loadResult(db, organizationId, params, caller));
      const list = request as Parameters<typeof encodeCursor>[0];
      const from = decodeCursor(z.int().min(0), list) ?? 0;
      const rows = await readRows(deps.objects, result, from, query.limit);
      const columns = result.columns;
      const page = rows.map((row) => row.map((value, index) => ({ name: columns[index]!.name, value })));
      const next = from + page.length;
      const data = {
        id: result.id,
        columns,
        rows: page.map((row) => Object.fromEntries(row.map(({ name, value }) => [camelCase(name), value]))),
        rows_with_column_order: page,
        rowCount: page.length,
        truncated: result.truncated,
        elapsedMs: result.elapsed_ms,
        scanned: { tables: result.scanned },
      };
      const nextCursor = next < result.row_count ? encodeCursor(list, next) : null;
      // Serialized here: the response schema would drop columns with certain names.
      return sendText(reply, JSON.stringify({ data, nextCursor }));
    },
  );
  route(
    app,
    at,
    ['GET', chartPath],
    {
      summary: 'Show a chart',
      description: 'Returns the chart as it was drawn, or its Vega-Lite document with the data.',
      exists: loadChart,
      query: chartQuery,
    },
    {
      200: {
        description: 'The chart.',
        content: {
          'image/svg+xml': { schema: z.string() },
          'image/png': { schema: z.string().meta({ format: 'binary' }) },
          'application/json': {
            schema: vegaLiteDocument,
          },
        },
      },
    },
    async ({ organizationId, params, query, caller, reply, transaction }) => {
      const chart = await transaction((db) => loadChart(db, organizationId, params, caller));
      if (query.format === 'json')
        return reply
          .type('application/json; charset=utf-8')
          .send(Buffer.from(await readChart(deps.objects, chart, 'json')));
      // When opened as a page, it must not load or run anything.
      reply
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
      if (query.format === 'png')
        return reply
          .type('image/png')
          .send(await readPng(deps.objects, deps.charts, chart, clientGone(reply)));
      const svg = await readChart(deps.objects, chart, 'svg');
      return reply.type('image/svg+xml').send(Buffer.from(svg));
    },
  );
}
