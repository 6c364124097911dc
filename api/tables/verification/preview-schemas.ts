import { z } from 'zod';
import { keptMap } from '../../free-form.ts';
import { envelope, idText } from '../../schemas.ts';
import { modelingTier } from '../catalog.ts';
import { definitionBody, severity, testKind } from './definition-schemas.ts';
import { overlayBody } from './overlay-schemas.ts';

/** More tests are counted, not shown. */
export const mostShown = 10_000;

export const previewBody = z
  .strictObject({
    table_ids: z.array(idText).max(1_000).optional(),
    project_id: idText.optional(),
    definitions: z
      .array(definitionBody.extend({ id: idText.optional() }))
      .max(200)
      .default([])
      .describe('Unsaved definitions. A definition with the id of a stored one replaces it.'),
    overlays: z
      .array(overlayBody.safeExtend({ id: idText.optional() }))
      .max(200)
      .default([])
      .describe('Unsaved overlays. An overlay with the id of a stored one replaces it.'),
    as_if: z
      .array(z.strictObject({ table_id: idText, modeling_tier: modelingTier }))
      .max(1_000)
      .default([])
      .describe('Tables to treat as if they had another modeling tier.'),
  })
  .superRefine(({ table_ids: tableIds, project_id: projectId }, context) => {
    if (tableIds === undefined || projectId === undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['project_id'],
      message: 'Send either tables or a project.',
      params: { type: 'extra_forbidden' },
    });
  })
  .meta({ examples: [{ table_ids: ['tbl_01kahz3v6dfyvb1s8m3h9q2w4x'] }] });

const effectiveTest = z
  .object({
    tableId: z.string(),
    definitionId: z.string().nullable().describe('Null for an unsaved definition.'),
    name: z.string(),
    kind: testKind,
    enabled: z.boolean(),
    severity,
    blocking: z.boolean(),
    params: keptMap,
    provenance: z
      .array(
        z.object({
          field: z
            .string()
            .describe('`enabled`, `severity`, `blocking`, or a parameter such as `params.min`.'),
          source: z.enum(['definition', 'overlay']),
          id: z.string().nullable(),
        }),
      )
      .describe('The source of each field.'),
  })
  .meta({ id: 'EffectiveVerificationTest' });

const example: z.input<typeof effectiveTest> = {
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  definitionId: 'vtd_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'orders have a number',
  kind: 'not_null',
  enabled: true,
  severity: 'warn',
  blocking: true,
  params: { columns: ['order_no'] },
  provenance: [
    { field: 'enabled', source: 'definition', id: 'vtd_01kahz3v6dfyvb1s8m3h9q2w4x' },
    { field: 'severity', source: 'overlay', id: 'vto_01kahz3v6dfyvb1s8m3h9q2w4x' },
    { field: 'blocking', source: 'definition', id: 'vtd_01kahz3v6dfyvb1s8m3h9q2w4x' },
    { field: 'params.columns', source: 'definition', id: 'vtd_01kahz3v6dfyvb1s8m3h9q2w4x' },
  ],
};

export const onePreview = envelope(
  z.object({
    tests: z.array(effectiveTest).max(mostShown),
    total: z
      .int()
      .describe(`The number of all tests. Up to ${mostShown.toLocaleString('en-US')} are returned.`),
    unmatched: z
      .array(z.string().nullable())
      .describe('Definitions that select none of these tables. Null for an unsaved one.'),
  }),
).meta({ examples: [{ data: { tests: [example], total: 1, unmatched: [] } }] });
