import { z } from 'zod';
import { AppError } from '../../../data/errors.ts';
import { runOf, startAgentRun } from '../../../domain/analyst/agent-runs/start.ts';
import { titleOf } from '../../../domain/analyst/conversations/conversations.ts';
import { exportReport } from '../../../domain/publishing/reports/export.ts';
import {
  deleteReport,
  getReport,
  listReports,
  type ShownReport,
  withheldFrom,
} from '../../../domain/publishing/reports/reports.ts';
import { storeReport, storeRevision } from '../../../domain/publishing/reports/store.ts';
import { getVersion, listVersions } from '../../../domain/publishing/reports/versions.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import { memoOf } from '../../caller.ts';
import { chosenModel } from '../../chosen-model.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { bodyLimits } from '../../plugins/json-body.ts';
import { attachment, clientGone } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import {
  decodeCursor,
  envelope,
  type ListRequest,
  page,
  pageQuery,
  revisionNumber,
  toPage,
} from '../../schemas.ts';
import { queuedRunExample, runSchema, runView } from '../../workspace/runs/schemas.ts';
import {
  changeBody,
  contentQuery,
  createBody,
  reportExample,
  reportSchema,
  reportView,
  versionExample,
  versionSchema,
  versionView,
} from './schemas.ts';

const listAnswer = z
  .object({ items: z.array(reportSchema), total: z.int() })
  .meta({ examples: [{ items: [reportExample], total: 1 }] });

export function reportsRoutes(app: Routes, deps: ApiDeps): void {
  const tag = {
    name: 'Reports',
    description: 'Write and read reports: Markdown with charts and tables, also as PDF and DOCX.',
  };
  const at = { db: deps.db, tag };
  const path = '/v1/projects/:project_id/reports/:report_id' as const;
  const load = (
    db: Parameters<typeof getReport>[0],
    organizationId: string,
    { project_id: projectId, report_id: id }: Record<'project_id' | 'report_id', string>,
  ) => getReport(db, organizationId, projectId, id);
  const loadShown = async (...named: Parameters<typeof load>): Promise<ShownReport> => {
    const [report, isWithheld] = [await load(...named), await withheldFrom(named[0])];
    return { ...report, isWithheld: isWithheld(report) };
  };
  const reports = resource(app, deps, {
    tag,
    path,
    schema: reportSchema,
    example: reportExample,
    load: loadShown,
    parent: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
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
        const isWithheld = await withheldFrom(db);
        const found = await listReports(db, organizationId, params.project_id);
        return found.map((report) => ({ ...report, isWithheld: isWithheld(report) }));
      });
      return { items: rows.map(reportView), total: rows.length };
    },
  );
  route(
    app,
    at,
    ['POST', '/v1/projects/:project_id/reports'],
    {
      summary: 'Create a report',
      audit: 'report.created',
      description:
        'With `title` and `content`, the report is stored (201). The service keeps the charts and results that it refers to, so the report stays complete after their conversations are deleted. With `prompt`, the analyst writes the report without asking anybody: the response is 202 with a run, whose `output` names the report.',
      exists: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
      bodyLimit: bodyLimits.report,
      body: createBody,
      errors: ['body_too_large', 'conflict', 'limit_reached', 'invalid_request', 'workflows_unavailable'],
    },
    {
      201: envelope(reportSchema).meta({ examples: [{ data: reportExample }] }),
      202: envelope(runSchema).meta({ examples: [{ data: queuedRunExample }] }),
    },
    async ({ organizationId, params, body, caller, newId, request, reply, transaction }) => {
      const { project_id: projectId } = params;
      if (body.prompt === undefined) {
        const id = newId('rpt');
        const report = await storeReport(deps, {
          organizationId,
          projectId,
          id,
          title: body.title!,
          content: body.content!,
          dataVersions: [],
          createdBy: caller.id,
          writeId: id,
          source: 'api',
          sourceId: null,
        });
        reply.header('Location', `/v1/projects/${projectId}/reports/${id}`);
        return { data: reportView(report) };
      }
      const run = await startAgentRun(deps, {
        organizationId,
        projectId,
        callerId: caller.id,
        memo: memoOf(request),
        runId: newId('run'),
        kind: 'report',
        title: body.title ?? titleOf(body.prompt),
        instructions: body.prompt,
        output: { type: 'report', title: body.title ?? '' },
        ...chosenModel(deps.models, body),
        trigger: { type: 'api', id: caller.id },
      });
      reply.code(202).header('Location', `/v1/projects/${projectId}/runs/${run.id}`);
      return { data: runView(await transaction((db) => runOf(db, run))) };
    },
  );
  reports.show({ summary: 'Show a report' });
  reports.change({
    summary: 'Change a report',
    audit: 'report.updated',
    description:
      'Creates the next revision. Fields that you omit keep their values. The previous revision is kept.',
    bodyLimit: bodyLimits.report,
    body: changeBody,
    errors: ['body_too_large', 'conflict', 'limit_reached', 'revision_conflict', 'invalid_request'],
    run: async ({ organizationId, params, body, caller, newId, transaction }) => {
      const report = await storeRevision(deps, {
        organizationId,
        projectId: params.project_id,
        reportId: params.report_id,
        ...(body.title === undefined ? {} : { title: body.title }),
        ...(body.content === undefined ? {} : { content: body.content }),
        expectedRevision: body.expected_revision,
        createdBy: caller.id,
        writeId: newId('rpt'),
      });
      const isWithheld = await transaction(withheldFrom);
      return { ...report, isWithheld: isWithheld(report) };
    },
  });
  reports.remove({
    summary: 'Delete a report and its revisions',
    audit: 'report.deleted',
    run: ({ organizationId, params, transaction }) =>
      transaction((db) => deleteReport(db, organizationId, params.project_id, params.report_id)),
  });
  route(
    app,
    at,
    ['GET', `${path}/versions`],
    { summary: 'List the revisions of a report, newest first', exists: load, query: pageQuery },
    { 200: page(versionSchema).meta({ examples: [{ items: [versionExample], nextCursor: null }] }) },
    async ({ organizationId, params, query, request, transaction }) => {
      const list = request as unknown as ListRequest;
      const after = decodeCursor(revisionNumber, list);
      const rows = await transaction(async (db) =>
        listVersions(db, await load(db, organizationId, params), { after, limit: query.limit + 1 }),
      );
      return toPage(list, rows, ({ revision }) => revision, versionView);
    },
  );
  route(
    app,
    at,
    ['GET', `${path}/content`],
    {
      summary: 'Read a report',
      audit: 'report.exported',
      description:
        'Returns the report as it was stored, as one self-contained Markdown file, as PDF or as DOCX.',
      exists: load,
      query: contentQuery,
      errors: ['invalid_request', 'queries_saturated'],
    },
    {
      200: {
        description: 'The report.',
        content: {
          'text/markdown': { schema: z.string() },
          'application/pdf': { schema: binary },
          [contentTypes.docx]: { schema: binary },
        },
      },
    },
    async ({ organizationId, params, query, reply, transaction }) => {
      const { report, version } = await transaction(async (db) => {
        const row = await load(db, organizationId, params);
        const version = await getVersion(db, row, query.revision);
        if ((await withheldFrom(db))(version))
          throw new AppError(
            'not_found',
            "The report was made from a table that you can't read. Ask an administrator for a grant.",
          );
        return { report: row, version };
      });
      const { format } = query;
      const content =
        format === 'raw'
          ? Buffer.from(version.content)
          : await exportReport(deps, report, version, format, clientGone(reply));
      return reply
        .type(format === 'raw' ? report.content_type : contentTypes[format])
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', attachment(`${version.title}.${endings[format]}`))
        .send(content);
    },
  );
}

const binary = z.string().meta({ format: 'binary' });
const contentTypes = {
  markdown: 'text/markdown; charset=utf-8',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
} as const;
const endings = { raw: 'md', markdown: 'md', pdf: 'pdf', docx: 'docx' } as const;
