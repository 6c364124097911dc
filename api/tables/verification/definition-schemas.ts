import { z } from 'zod';
import {
  paramsOf,
  selectorOf,
  type TestDefinition,
} from '../../../domain/tables/verification/definitions.ts';
import { testKinds } from '../../../domain/tables/verification/kinds.ts';
import type { Target, WrittenDefinition } from '../../../domain/tables/verification/write.ts';
import { freeFormMap, keptMap } from '../../free-form.ts';
import { characters, idText, ownName, revisionNumber, timestamp } from '../../schemas.ts';
import { modelingTier } from '../catalog.ts';

export const testKind = z.enum(testKinds as [(typeof testKinds)[number], ...typeof testKinds]);
export const severity = z
  .enum(['error', 'warn'])
  .describe('The outcome of a run with failing rows: `failed` or `warned`.');

const shownTarget = z.union([
  z.object({ tableId: z.string() }),
  z.object({
    selector: z.object({
      projectId: z.string().optional(),
      modelingTier: modelingTier.optional(),
      namePattern: z.string().optional(),
    }),
  }),
]);

export const definitionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    kind: testKind,
    params: keptMap,
    target: shownTarget,
    severity,
    blocking: z
      .boolean()
      .describe(
        'With severity `error`: new content that fails the test is refused before anybody can see it.',
      ),
    keepRows: z.boolean().describe('Whether failing rows are kept as a table. Some are shown as a sample.'),
    enabled: z.boolean(),
    createdByUserId: z.string().describe('The user or API client that created it.'),
    revision: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'VerificationTestDefinition' });

export const definitionExample: z.input<typeof definitionSchema> = {
  id: 'vtd_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'orders have a number',
  description: '',
  kind: 'not_null',
  params: { columns: ['order_no'] },
  target: { tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x' },
  severity: 'error',
  blocking: true,
  keepRows: true,
  enabled: true,
  createdByUserId: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  revision: 1,
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export function definitionView(row: TestDefinition): z.input<typeof definitionSchema> {
  const selector = selectorOf(row);
  return {
    ...{ id: row.id, name: row.name, description: row.description, kind: row.kind, params: paramsOf(row) },
    target: selector === undefined ? { tableId: row.table_id! } : { selector },
    ...{ severity: row.severity, blocking: row.blocking, keepRows: row.keep_rows, enabled: row.enabled },
    ...{ createdByUserId: row.created_by, revision: row.revision },
    ...{ createdAt: row.created_at.toISOString(), updatedAt: row.updated_at.toISOString() },
  };
}

const target = z
  .union([
    z.strictObject({ table_id: idText }),
    z.strictObject({
      selector: z.strictObject({
        project_id: idText.optional(),
        modeling_tier: modelingTier.optional(),
        name_pattern: characters(1, 500)
          .optional()
          .describe(
            'A regular expression (RE2) that matches anywhere in the name, ignoring case. For a prefix, use `^sales_`.',
          ),
      }),
    }),
  ])
  .describe(
    'One table, or a selector of tables that is evaluated at each run. An empty selector selects all tables.',
  );

const fields = {
  name: ownName,
  description: characters(0, 10_000),
  params: freeFormMap.describe(
    'The parameters by kind: not_null `{columns}`, unique `{columns}`, accepted_values `{column, values}`, relationship `{columns, to_table_id, to_columns}`, row_count `{min?, max?, max_change_ratio?}`, freshness `{column?, max_age_seconds}`, expression `{expression}` (true for every row), sql `{sql}` (a SELECT of the failing rows, with the tested table as `this`).',
  ),
  target,
  severity,
  blocking: z.boolean(),
  keep_rows: z.boolean(),
  enabled: z.boolean(),
};

/** A definition as it is written. */
export const definitionBody = z.strictObject({
  name: fields.name,
  description: fields.description.default(''),
  kind: testKind,
  params: fields.params,
  target: fields.target,
  severity: fields.severity.default('error'),
  blocking: fields.blocking.default(false),
  keep_rows: fields.keep_rows.default(true),
  enabled: fields.enabled.default(true),
});

export const createDefinitionBody = definitionBody.meta({
  examples: [
    {
      name: 'orders have a number',
      kind: 'not_null',
      params: { columns: ['order_no'] },
      target: { table_id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x' },
      blocking: true,
    },
  ],
});

export const changeDefinitionBody = z
  .strictObject(fields)
  .partial()
  .extend({ expected_revision: revisionNumber.optional() })
  .meta({ examples: [{ severity: 'warn', expected_revision: 1 }] });

export function targetOf(sent: z.output<typeof target>): Target {
  if ('table_id' in sent) return { tableId: sent.table_id };
  const { project_id: projectId, modeling_tier: tier, name_pattern: namePattern } = sent.selector;
  return {
    selector: {
      ...(projectId === undefined ? {} : { projectId }),
      ...(tier === undefined ? {} : { modelingTier: tier }),
      ...(namePattern === undefined ? {} : { namePattern }),
    },
  };
}

export function writtenOf(body: z.output<typeof definitionBody>): WrittenDefinition {
  const { keep_rows: keepRows, target: sent, ...rest } = body;
  return { ...rest, keepRows, target: targetOf(sent) };
}
