import { z } from 'zod';
import { derivedId } from '../../../../data/ids.ts';
import { storeReport, storeRevision } from '../../../publishing/reports/store.ts';
import { maxReportBytes } from '../../../publishing/reports/versions.ts';
import { defineTool, text } from './tool.ts';

export const writeReport = defineTool({
  name: 'write_report',
  description:
    'Writes a report in Markdown, or a new revision of one, and shows it in the reply. On a line of its own, ![title](chart:CHART_ID) shows a chart that draw_chart drew, and ![title](result:RESULT_ID) shows the rows of a result of run_sql as a table. Refer to charts and results instead of copying their numbers.',
  input: z.strictObject({
    title: text(1, 200),
    content: text(1, maxReportBytes).describe(
      'Markdown with GitHub tables. Show charts and results with ![title](chart:ID) and ![title](result:ID).',
    ),
    report_id: text(1, 100).optional().describe('The report to revise. Omit it to write a new report.'),
  }),
  async run(call, { title, content, report_id: reportId }) {
    const { deps, organizationId, projectId, callerId } = call;
    const id = derivedId('rpt', call.atMs, `${call.messageId}\n${call.partIndex}`);
    const dataVersions = call.dataVersions.filter(({ tableId }) => call.reads.has(tableId));
    const written = { title, content, dataVersions, createdBy: callerId, writeId: id };
    const report =
      reportId === undefined
        ? await storeReport(deps, {
            ...written,
            organizationId,
            projectId,
            id,
            source: 'conversation',
            sourceId: call.conversationId,
          })
        : await storeRevision(deps, { ...written, organizationId, projectId, reportId });
    return {
      output: { reportId: report.id, title, revision: report.revision },
      summary: `Wrote ${title}, revision ${report.revision}.`,
      part: { type: 'report', resource_id: report.id, title },
    };
  },
});
