import { z } from 'zod';
import { changedParams, type Overlay } from '../../../domain/tables/verification/overlays.ts';
import { freeFormMap, keptMap } from '../../free-form.ts';
import { characters, idText, revisionNumber, timestamp } from '../../schemas.ts';
import { severity } from './definition-schemas.ts';

export const overlaySchema = z
  .object({
    id: z.string(),
    definitionId: z.string(),
    projectId: z.string().nullable(),
    tableId: z.string().nullable(),
    enabled: z
      .boolean()
      .nullable()
      .describe('Whether the test runs. Null, as in the other fields, means that the definition applies.'),
    severity: severity.nullable(),
    blocking: z.boolean().nullable(),
    params: keptMap.nullable(),
    priority: z.int(),
    reason: z.string(),
    createdByUserId: z.string(),
    revision: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'VerificationTestOverlay' });

export const overlayExample: z.input<typeof overlaySchema> = {
  id: 'vto_01kahz3v6dfyvb1s8m3h9q2w4x',
  definitionId: 'vtd_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: null,
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  enabled: null,
  severity: 'warn',
  blocking: null,
  params: null,
  priority: 0,
  reason: 'Old orders have none.',
  createdByUserId: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  revision: 1,
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export function overlayView(row: Overlay): z.input<typeof overlaySchema> {
  return {
    ...{ id: row.id, definitionId: row.definition_id, projectId: row.project_id, tableId: row.table_id },
    ...{ enabled: row.enabled, severity: row.severity, blocking: row.blocking },
    params: changedParams(row) ?? null,
    ...{ priority: row.priority, reason: row.reason },
    ...{ createdByUserId: row.created_by, revision: row.revision },
    ...{ createdAt: row.created_at.toISOString(), updatedAt: row.updated_at.toISOString() },
  };
}

const changes = {
  enabled: z.boolean().nullable().optional(),
  severity: severity.nullable().optional(),
  blocking: z.boolean().nullable().optional(),
  params: freeFormMap.nullable().optional().describe('The parameters to change, merged key by key.'),
  priority: z
    .int()
    .min(-1_000_000)
    .max(1_000_000)
    .optional()
    .describe('Among overlays of the same scope, the higher priority wins. The default is 0.'),
  reason: characters(0, 2_000).optional(),
};

/** An overlay as it is written. */
export const overlayBody = z
  .strictObject({
    definition_id: idText,
    project_id: idText.optional(),
    table_id: idText.optional(),
    ...changes,
  })
  .superRefine(({ project_id: projectId, table_id: tableId }, context) => {
    if (projectId === undefined || tableId === undefined) return;
    const message = 'Send either a project or a table, or neither for the whole organization.';
    context.addIssue({
      code: 'custom',
      path: ['table_id'],
      message,
      params: { type: 'extra_forbidden' },
    });
  });

export const createOverlayBody = overlayBody.meta({
  examples: [
    {
      definition_id: 'vtd_01kahz3v6dfyvb1s8m3h9q2w4x',
      table_id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
      severity: 'warn',
      reason: 'Old orders have none.',
    },
  ],
});

export const changeOverlayBody = z
  .strictObject({ ...changes, expected_revision: revisionNumber.optional() })
  .meta({ examples: [{ enabled: false, expected_revision: 1 }] });
