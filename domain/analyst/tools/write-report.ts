import { z } from 'zod';
import { derivedId } from '../../../data/ids.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { insertReport, maxReportBytes, reviseReport } from '../../reports/reports.ts';
import { defineTool, text } from './tool.ts';

export const writeReport = defineTool({
  name: 'write_report',
  description: 'Writes a report in Markdown, or a new revision of one, and shows it in the reply.',
  input: z.strictObject({
    title: text(1, 200),
    content: text(1, maxReportBytes).describe('Markdown with GitHub tables.'),
    report_id: text(1, 100).optional().describe('The report to revise; a new one without it.'),
  }),
  async run(call, { title, content, report_id: reportId }) {
    const { deps, organizationId, projectId, callerId } = call;
    const id = derivedId('rpt', call.atMs, `${call.messageId}\n${call.partIndex}`);
    const written = { title, content, dataVersions: call.dataVersions, createdBy: callerId, writeId: id };
    const report = await inOrganization(deps.db, organizationId, (db) =>
      reportId === undefined
        ? insertReport(db, {
            ...written,
            organizationId,
            projectId,
            id,
            source: 'conversation',
            sourceId: call.conversationId,
          })
        : reviseReport(db, { ...written, organizationId, projectId, reportId }),
    );
    return {
      output: { reportId: report.id, title, revision: report.revision },
      summary: `Wrote ${title}, revision ${report.revision}.`,
      part: { type: 'report', resource_id: report.id, title },
    };
  },
});
