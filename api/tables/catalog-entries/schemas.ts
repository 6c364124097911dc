import { z } from 'zod';
import type { CatalogEntry } from '../../../domain/tables/catalog-entries/catalog-entries.ts';
import { characters, idText, timestamp } from '../../schemas.ts';

export const catalogEntrySchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    kind: z.enum(['table', 'view']),
    tableId: z.string().nullable(),
    viewId: z.string().nullable(),
    name: z.string(),
    note: z.string(),
    createdByUserId: z.string().describe('The user or API client that attached it.'),
    createdAt: timestamp,
  })
  .meta({ id: 'CatalogEntry' });

export const catalogEntryExample: z.input<typeof catalogEntrySchema> = {
  id: 'cae_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  kind: 'table',
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  viewId: null,
  name: 'orders',
  note: 'One row an order line.',
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
};

export const attachBody = z
  .strictObject({
    table_id: idText.optional(),
    view_id: idText.optional(),
    note: characters(0, 2_000).default('').describe('What the analyst should know about the table or view.'),
  })
  .refine((body) => (body.table_id === undefined) !== (body.view_id === undefined), {
    message: 'Send either table_id or view_id.',
  })
  .meta({
    oneOf: [
      { title: 'table', required: ['table_id'], properties: { view_id: false } },
      { title: 'view', required: ['view_id'], properties: { table_id: false } },
    ],
    examples: [{ table_id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', note: 'One row an order line.' }],
  });

export function catalogEntryView(entry: CatalogEntry): z.input<typeof catalogEntrySchema> {
  const isView = entry.kind === 'view';
  return {
    id: entry.id,
    projectId: entry.project_id,
    kind: isView ? 'view' : 'table',
    tableId: isView ? null : entry.table_id,
    viewId: isView ? entry.table_id : null,
    name: entry.name,
    note: entry.note,
    createdByUserId: entry.created_by,
    createdAt: entry.created_at.toISOString(),
  };
}
