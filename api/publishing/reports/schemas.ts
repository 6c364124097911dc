import { z } from 'zod';
import type { ShownReport } from '../../../domain/publishing/reports/reports.ts';
import { maxReportBytes, type ReportVersionHead } from '../../../domain/publishing/reports/versions.ts';
import {
  characters,
  effortSchema,
  integerText,
  revisionNumber,
  timestamp,
  visibleName,
} from '../../schemas.ts';

export const reportSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    title: z.string(),
    contentType: z.string(),
    sizeBytes: z.int(),
    revision: z.int(),
    source: z.enum(['api', 'conversation', 'playbook', 'workflow']),
    sourceId: z.string().nullable().describe('The conversation or other source of the report.'),
    dataVersions: z
      .array(z.object({ tableId: z.string(), version: z.int() }))
      .describe('The versions of the tables that it was made from.'),
    withheld: z
      .boolean()
      .describe(
        "Whether the report was made from a table that the caller can't read. If so, its content isn't found.",
      ),
    createdByUserId: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Report' });

export const reportExample: z.input<typeof reportSchema> = {
  id: 'rpt_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  title: 'Orders by month',
  contentType: 'text/markdown; charset=utf-8',
  sizeBytes: 2_048,
  revision: 1,
  source: 'conversation',
  sourceId: 'cnv_01kahz3v6dfyvb1s8m3h9q2w4x',
  dataVersions: [{ tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', version: 12 }],
  withheld: false,
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export function reportView(report: ShownReport): z.input<typeof reportSchema> {
  return {
    id: report.id,
    projectId: report.project_id,
    title: report.title,
    contentType: report.content_type,
    sizeBytes: report.size_bytes,
    revision: report.revision,
    source: report.source,
    sourceId: report.source_id,
    dataVersions: report.isWithheld === true ? [] : report.data_versions,
    withheld: report.isWithheld === true,
    createdByUserId: report.created_by,
    createdAt: report.created_at.toISOString(),
    updatedAt: report.updated_at.toISOString(),
  };
}

export const versionSchema = z
  .object({
    revision: z.int(),
    title: z.string(),
    sizeBytes: z.int(),
    createdByUserId: z.string(),
    createdAt: timestamp,
    dataVersions: z.array(z.object({ tableId: z.string(), version: z.int() })),
  })
  .meta({ id: 'ReportVersion' });

export const versionExample: z.input<typeof versionSchema> = {
  revision: 2,
  title: 'Orders by month',
  sizeBytes: 2_048,
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  dataVersions: [{ tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', version: 12 }],
};

export function versionView(version: ReportVersionHead): z.input<typeof versionSchema> {
  return {
    revision: version.revision,
    title: version.title,
    sizeBytes: version.size_bytes,
    createdByUserId: version.created_by,
    createdAt: version.created_at.toISOString(),
    dataVersions: version.data_versions,
  };
}

const markdown = characters(1, maxReportBytes)
  .check(({ value, issues }) => {
    if (Buffer.byteLength(value) > maxReportBytes)
      issues.push({
        code: 'custom',
        message: 'A report can have up to 2 MiB of Markdown. Split it.',
        input: value,
      });
  })
  .describe(
    "Markdown with GitHub tables, up to 2 MiB. An image shows a chart (`![title](chart:cht_…)`), the rows of a result (`![title](result:res_…)`) or an image from the project's files (`![title](folder/image.png)`).",
  );

/** A report that is stored as given, or one that the analyst is asked to write. */
export const createBody = z
  .strictObject({
    title: visibleName(200).optional(),
    content: markdown.optional(),
    prompt: characters(1, 32_000).optional().describe('What the analyst should write about.'),
    model: characters(1, 200)
      .optional()
      .describe('The id of a model of `GET /v1/models`. Only with `prompt`.'),
    effort: effortSchema.optional(),
  })
  .check(({ value, issues }) => {
    const { prompt, title, content, model, effort } = value;
    const refuse = (name: string, message: string, type: string) =>
      issues.push({ code: 'custom', path: [name], message, params: { type }, input: value });
    if (prompt === undefined) {
      if (title === undefined) refuse('title', 'Send a title and content, or a prompt.', 'missing');
      if (content === undefined) refuse('content', 'Send a title and content, or a prompt.', 'missing');
      if (model !== undefined) refuse('model', 'This is allowed only with a prompt.', 'extra_forbidden');
      if (effort !== undefined) refuse('effort', 'This is allowed only with a prompt.', 'extra_forbidden');
    } else if (content !== undefined)
      refuse('content', 'Send either content or a prompt.', 'extra_forbidden');
  })
  .meta({
    oneOf: [
      {
        title: 'written',
        required: ['title', 'content'],
        properties: { prompt: false, model: false, effort: false },
      },
      { title: 'asked', required: ['prompt'], properties: { content: false } },
    ],
    examples: [
      {
        title: 'Orders by month',
        content: '# Orders by month\n\n| Month | Orders |\n|---|--:|\n| May | 120 |',
      },
      { prompt: 'Orders by month as a line chart, and the five largest.', model: 'offline' },
    ],
  });

export const changeBody = z
  .strictObject({
    title: visibleName(200).optional(),
    content: markdown.optional(),
    expected_revision: z.int().min(1).optional().describe('The revision that you changed.'),
  })
  .refine(({ title, content }) => title !== undefined || content !== undefined, {
    message: 'Send a title, content, or both.',
  })
  .meta({
    anyOf: [
      { title: 'title', required: ['title'] },
      { title: 'content', required: ['content'] },
    ],
    examples: [{ title: 'Orders by month, checked', expected_revision: 1 }],
  });

export const contentQuery = z.object({
  format: z
    .enum(['raw', 'markdown', 'pdf', 'docx'])
    .default('raw')
    .describe(
      '`raw`: the stored bytes. `markdown`: one file that includes tables, charts and images. `pdf` and `docx`: documents.',
    ),
  revision: integerText(revisionNumber)
    .optional()
    .describe('The revision to read. The default is the newest one.'),
});
