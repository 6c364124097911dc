import { z } from 'zod';
import type { Report } from '../../domain/reports/reports.ts';
import { timestamp } from '../schemas.ts';

export const reportSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    title: z.string(),
    contentType: z.string(),
    sizeBytes: z.int(),
    revision: z.int(),
    source: z.enum(['api', 'conversation', 'playbook', 'workflow']),
    sourceId: z.string().nullable().describe('The conversation, or whatever else it came from.'),
    dataVersions: z.array(z.object({ tableId: z.string(), version: z.int() })),
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
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export function reportView(report: Report): z.input<typeof reportSchema> {
  return {
    id: report.id,
    projectId: report.project_id,
    title: report.title,
    contentType: report.content_type,
    sizeBytes: report.size_bytes,
    revision: report.revision,
    source: report.source,
    sourceId: report.source_id,
    dataVersions: report.data_versions as never,
    createdByUserId: report.created_by,
    createdAt: report.created_at.toISOString(),
    updatedAt: report.updated_at.toISOString(),
  };
}
