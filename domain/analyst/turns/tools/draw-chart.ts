import { z } from 'zod';
import { AppError } from '../../../../data/errors.ts';
import { derivedId } from '../../../../data/ids.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { chartDocument } from '../../../publishing/documents/faults.ts';
import { chartPrefix, insertChart, keepChart } from '../../conversations/charts.ts';
import type { DataVersion } from '../../conversations/messages.ts';
import { findResult, readRows } from '../../conversations/results.ts';
import { defineTool, text } from './tool.ts';

const column = text(1, 255);

export const drawChart = defineTool({
  name: 'draw_chart',
  description: 'Draws a chart of a result of run_sql, and shows it in the reply.',
  input: z.strictObject({
    result_id: text(1, 100),
    kind: z.enum(['bar', 'line', 'area', 'scatter', 'pie']),
    x: column.describe('Column of the result for the horizontal axis, or for the slices of a pie.'),
    y: column.describe('Numeric column of the result.'),
    series: column.optional().describe('Column whose values get different colours.'),
    title: text(1, 200),
  }),
  async run(call, { result_id: resultId, ...request }) {
    const { deps, organizationId, conversationId, messageId } = call;
    const result = await inOrganization(deps.db, organizationId, (db) =>
      findResult(db, organizationId, conversationId, resultId),
    );
    if (result === undefined) throw new AppError('not_found', `This conversation has no result ${resultId}.`);
    for (const { tableId } of result.scanned as unknown as DataVersion[]) call.reads.add(tableId);
    const rows = await readRows(deps.objects, result);
    const document = chartDocument(request, { columns: result.columns, rows });
    const svg = await deps.charts.svg(organizationId, document, call.signal);
    const id = derivedId('cht', call.atMs, `${messageId}\n${call.partIndex}`);
    const prefix = chartPrefix(organizationId, conversationId, id);
    await keepChart(deps.objects, prefix, { svg, document });
    const row = {
      organization_id: organizationId,
      id,
      conversation_id: conversationId,
      message_id: messageId,
      result_id: result.id,
      title: request.title,
      data_versions: JSON.stringify(result.scanned),
      object_prefix: prefix,
    };
    return {
      output: { chartId: id, title: request.title },
      summary: `Drew ${request.title}.`,
      record: (db) => insertChart(db, row),
      part: { type: 'chart', resource_id: id, title: request.title },
    };
  },
});
