import { z } from 'zod';
import type { DataEventConfig } from '../../../domain/automation/workflows/definitions/triggers.ts';
import { portTypes } from '../../../domain/automation/workflows/graphs/node-type.ts';
import { nodeTypes } from '../../../domain/automation/workflows/graphs/node-types.ts';
import { cadenceView } from '../../../packages/cadences/index.ts';
import { cadenceExample, cadenceSchema } from '../../cadence.ts';
import { keptMap } from '../../free-form.ts';
import { pageQuery, timestamp } from '../../schemas.ts';
import { pauseReason, pauseReasonOf } from '../pause-reason.ts';
import { graphExample, triggerTypes } from './bodies.ts';
import type { ShownTrigger, ShownWorkflow } from './shown-triggers.ts';

const statuses = ['draft', 'active', 'paused', 'archived', 'unknown'] as const;

export const listWorkflowsQuery = pageQuery.extend({
  project_id: z.string().optional(),
  status: z.enum(['draft', 'active', 'paused', 'archived']).optional(),
  owner: z
    .enum(['me', 'gone'])
    .default('me')
    .describe(
      '`gone`: only workflows whose owner was removed or revoked. Administrators can take them over.',
    ),
});

export const triggerSchema = z
  .object({
    id: z.string(),
    type: z.enum([...triggerTypes, 'unknown']),
    label: z.string(),
    enabled: z.boolean(),
    params: keptMap,
    schedule: cadenceSchema.nullable(),
    config: z
      .looseObject({})
      .nullable()
      .describe(
        'For a data_event: `{table_ids, window_seconds, own_writes}`, also accepted in camelCase. For a webhook: `{hookUrl}`, read-only.',
      ),
    secret: z
      .string()
      .optional()
      .describe('The secret of a webhook. Only the response that created it shows it.'),
  })
  .meta({ id: 'WorkflowTrigger' });

const stepSchema = z
  .object({
    id: z.string(),
    position: z.int(),
    type: z.enum(['playbook', 'email_delivery', 'slack_delivery', 'unknown']),
    targetFileId: z.string(),
    config: keptMap,
    targets: z.array(z.looseObject({ kind: z.string() })),
  })
  .meta({ id: 'WorkflowStep' });

export const workflowSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    title: z.string(),
    description: z.string(),
    ownerUserId: z.string(),
    status: z.enum(statuses),
    pauseReason,
    executionFormat: z.string(),
    outputFolder: z.string(),
    revision: z.int(),
    activeVersionId: z.string(),
    graph: keptMap.nullable(),
    triggers: z.array(triggerSchema),
    steps: z.array(stepSchema),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Workflow' });

export const workflowExample: z.input<typeof workflowSchema> = {
  id: 'wfl_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  title: 'Sales alert',
  description: '',
  ownerUserId: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  status: 'draft',
  executionFormat: 'typed_graph',
  outputFolder: '',
  revision: 1,
  activeVersionId: '',
  graph: graphExample,
  triggers: [
    {
      id: 'wtr_01kahz3v6dfyvb1s8m3h9q2w4x',
      type: 'schedule',
      label: 'Every morning',
      enabled: true,
      params: { since: '2026-11-01' },
      schedule: cadenceExample,
      config: null,
    },
  ],
  steps: [],
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export const hookTriggerExample: z.input<typeof triggerSchema> = {
  id: 'wtr_01kahz3v6dfyvb1s8m3h9q2w4x',
  type: 'webhook',
  label: 'From the shop',
  enabled: true,
  params: {},
  schedule: null,
  config: { hookUrl: 'https://api.example.com/v1/hooks/…' },
  secret: 'whsec_…',
};

/** `url`: the address of this service. */
export function workflowView(row: ShownWorkflow, url: string): z.input<typeof workflowSchema> {
  return {
    id: row.id,
    projectId: row.project_id,
    title: row.title,
    description: row.description,
    ownerUserId: row.owner_id,
    status: row.status,
    ...pauseReasonOf(row),
    executionFormat: row.execution_format,
    outputFolder: row.output_folder,
    revision: row.revision,
    activeVersionId: row.active_version_id ?? '',
    graph: row.steps === null ? (row.graph as Record<string, unknown> | null) : null,
    triggers: row.triggers.map((trigger) => triggerView(trigger, url)),
    steps: (row.steps ?? []) as unknown as z.input<typeof stepSchema>[],
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export function triggerView(row: ShownTrigger, url: string): z.input<typeof triggerSchema> {
  const cadence = row.cadence;
  const hook = row.token === undefined ? null : { hookUrl: `${url}/v1/hooks/${row.token}` };
  return {
    id: row.id,
    type: row.type,
    label: row.label,
    enabled: row.enabled,
    params: row.params,
    schedule: cadence === null ? null : cadenceView(cadence),
    config: hook ?? (row.config && dataEventView(row.config)),
    ...(row.secret === undefined ? {} : { secret: row.secret }),
  };
}

/** With the names that it was written with, and those of answers. */
export const dataEventView = ({ tableIds, windowSeconds, ownWrites }: DataEventConfig) => ({
  ...{ tableIds, windowSeconds, ownWrites },
  ...{ table_ids: tableIds, window_seconds: windowSeconds, own_writes: ownWrites },
});

export const faultsSchema = z.object({
  valid: z.boolean(),
  faults: z.array(
    z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }),
  ),
});

const portSchema = z.object({ name: z.string(), type: z.enum(portTypes) });

export const nodeTypesSchema = z.object({
  items: z.array(
    z.object({
      type: z.string(),
      label: z.string(),
      config: keptMap.describe('A JSON Schema.'),
      inputs: z.array(
        z.object({
          name: z.string(),
          types: z.array(z.enum(portTypes)).readonly(),
          required: z.boolean(),
          many: z.boolean(),
        }),
      ),
      outputs: z.array(portSchema),
    }),
  ),
});

/** Every node type as declared. */
export const listedNodeTypes: z.input<typeof nodeTypesSchema>['items'] = nodeTypes.map(
  ({ type, label, config, inputs, outputs }) => ({
    type,
    label,
    config: z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
    inputs: [...inputs],
    outputs: [...outputs],
  }),
);
