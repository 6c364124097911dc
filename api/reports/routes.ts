import { z } from 'zod';
import { getProject } from '../../domain/projects/projects.ts';
import { getReport, listReports, readContent } from '../../domain/reports/reports.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { attachment } from '../reply.ts';
import { resource } from '../resource.ts';
import { route } from '../route.ts';
import { reportExample, reportSchema, reportView } from './schemas.ts';

const listAnswer = z
  .object({ items: z.array(reportSchema), total: z.int() })
  .meta({ examples: [{ items: [reportExample], total: 1 }] });

export function reportsRoutes(app: Routes, deps: ApiDeps): void {
  const tag = 'Reports';
  const at = { db: deps.db, tag };
  const path = '/v1/projects/:project_id/reports/:report_id' as const;
  const load = (
    db: Parameters<typeof getReport>[0],
    organizationId: string,
    { project_id: projectId, report_id: id }: Record<'project_id' | 'report_id', string>,
  ) => getReport(db, organizationId, projectId, id);
  const reports = resource(app, deps, {
    tag,
    path,
    schema: reportSchema,
    example: reportExample,
    load,
    view: reportView,
  });

  route(
    app,
    at,
    ['GET', '/v1/projects/:project_id/reports'],
    {
      summary: 'List the reports of a project, newest first',
      exists: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    },
    { 200: listAnswer },
    async ({ organizationId, params, transaction }) => {
      const rows = await transaction(async (db) => {
        await getProject(db, organizationId, params.project_id);
        return listReports(db, organizationId, params.project_id);
      });
      return { items: rows.map(reportView), total: rows.length };
    },
  );
  reports.show({ summary: 'Show a report' });
  route(
    app,
    at,
    ['GET', `${path}/content`],
    {
      summary: 'Read a report',
      description: 'Its stored Markdown.',
      exists: load,
      query: z.object({ format: z.enum(['raw']).default('raw') }),
    },
    { 200: { description: 'The report.', content: { 'text/markdown': { schema: z.string() } } } },
    async ({ organizationId, params, reply, transaction }) => {
      const { report, content } = await transaction(async (db) => {
        const row = await load(db, organizationId, params);
        return { report: row, content: await readContent(db, row) };
      });
      return reply
        .type(report.content_type)
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', attachment(`${report.title}.md`))
        .send(content);
    },
  );
}
