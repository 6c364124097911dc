import { z } from 'zod';
import { path } from '../inside.ts';
import { reportUri } from '../resources.ts';
import { defineTool, fields } from '../tool.ts';
import { followRun } from './runs.ts';

const reportId = z.string().min(1).max(255).describe('The id of a report, from list_reports.');
const maxPart = 50_000;

interface Report {
  id: string;
  projectId: string;
  title: string;
}

const link = ({ id, projectId, title }: Report) => ({
  type: 'resource_link' as const,
  uri: reportUri(projectId, id),
  name: title,
  mimeType: 'text/markdown',
});

export const listReports = defineTool({
  name: 'list_reports',
  title: 'List reports',
  description: 'Lists the reports of a project, newest first.',
  scope: 'agent:read',
  input: z.strictObject({
    project_id: fields.projectId,
    limit: fields.limit(100, 50),
    offset: fields.offset,
  }),
  async run({ project_id: projectId, limit, offset }, { json }) {
    const { items, total } = await json('GET', path`/v1/projects/${projectId}/reports`);
    const end = offset + limit;
    return {
      data: { reports: items.slice(offset, end), total, nextOffset: end < items.length ? end : null },
    };
  },
});

export const readReport = defineTool({
  name: 'read_report',
  title: 'Read a report',
  description: `Returns the Markdown of a report as it was written, ${maxPart} characters at a time. \`![…](result:…)\` stands for the rows of a result.`,
  scope: 'agent:read',
  input: z.strictObject({
    project_id: fields.projectId,
    report_id: reportId,
    revision: z.int().min(1).optional().describe('An earlier revision. The default is the newest one.'),
    offset: fields.offset,
  }),
  async run({ project_id: projectId, report_id: id, revision, offset }, { json, text }) {
    const at = path`/v1/projects/${projectId}/reports/${id}`;
    const { data: report } = await json('GET', at);
    const content = await text(`${at}/content`, { query: { format: 'raw', revision } });
    const end = offset + maxPart - (isCutAt(content, offset + maxPart) ? 1 : 0);
    return {
      data: {
        report,
        content: content.slice(offset, end),
        nextOffset: end < content.length ? end : null,
      },
      also: [link(report)],
    };
  },
});

/** Whether a part that ends there would end in the middle of a character. */
const isCutAt = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

export const writeReport = defineTool({
  name: 'write_report',
  title: 'Write a report',
  description:
    'Stores a new report, in Markdown with GitHub tables. To store the next revision of a report, send its `report_id` and, as `expected_revision`, the revision that you read. Earlier revisions are kept.',
  scope: 'agent:write',
  input: z.strictObject({
    project_id: fields.projectId,
    report_id: reportId.optional(),
    title: z.string().min(1).max(200).optional().describe('Required for a new report.'),
    content: z
      .string()
      .min(1)
      .max(500_000)
      .optional()
      .describe('The text in Markdown. Required for a new report.'),
    expected_revision: z.int().min(1).optional(),
    idempotency_key: fields.idempotencyKey,
  }),
  async run(input, { json }) {
    const { project_id: projectId, report_id: id, idempotency_key: idempotencyKey, ...body } = input;
    const reports = path`/v1/projects/${projectId}/reports`;
    const { data: report } =
      id === undefined
        ? await json('POST', reports, { body, idempotencyKey })
        : await json('PATCH', `${reports}${path`/${id}`}`, { body, idempotencyKey });
    return { data: { report }, also: [link(report)] };
  },
});

export const generateReport = defineTool({
  name: 'generate_report',
  title: 'Generate a report',
  description:
    'Asks the analyst of the workspace to write a report about the tables attached to a project. The run continues when the call ends. Its output names the report.',
  scope: 'agent:write',
  input: z.strictObject({
    project_id: fields.projectId,
    prompt: z.string().min(1).max(32_000).describe('The topic of the report.'),
    title: z.string().min(1).max(200).optional(),
    wait_seconds: fields.waitSeconds(),
    idempotency_key: fields.idempotencyKey,
  }),
  async run(input, call) {
    const { project_id: projectId, wait_seconds: seconds, idempotency_key: idempotencyKey, ...body } = input;
    const at = path`/v1/projects/${projectId}/reports`;
    const { data: run } = await call.json('POST', at, { body, idempotencyKey });
    return { data: await followRun(call, projectId, { runId: run.id, seconds, known: run }) };
  },
});
