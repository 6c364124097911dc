import { z } from 'zod';
import {
  maxTriggers,
  type WrittenTrigger,
} from '../../../domain/automation/workflows/definitions/triggers.ts';
import type { WorkflowContent } from '../../../domain/automation/workflows/definitions/write.ts';
import { pathFault } from '../../../domain/workspace/files/path.ts';
import { cadenceBody } from '../../cadence.ts';
import { freeFormMap, mapOf, mapSchema } from '../../free-form.ts';
import { characters, idText, revisionNumber, visibleName } from '../../schemas.ts';
import { eitherCase } from '../schedules/either-case.ts';

const maxGraphBytes = 1_048_576;
export const triggerTypes = ['schedule', 'webhook', 'api', 'data_event'] as const;

export const graphBody = mapOf(maxGraphBytes).meta({
  ...mapSchema,
  description:
    'A graph document: `{version: 1, parameters, nodes: [{id, type, name, config, retry, timeout_seconds}], edges: [{from: "node.port", to: "node.port"}]}`, up to 1 MiB. `GET /v1/workflows/node-types` lists the types. A draft can be incomplete.',
});

const dataEventConfig = eitherCase(
  z.strictObject({
    table_ids: z.array(idText).min(1).max(50),
    window_seconds: z.int().min(1).max(86_400).default(10),
    own_writes: z.boolean().default(false),
  }),
);

/** The configuration as it reads back; the address cannot be changed. */
const hookConfig = eitherCase(z.strictObject({ hook_url: z.string().optional() }));

const triggerBody = z
  .strictObject({
    id: idText.optional(),
    type: z.enum(triggerTypes),
    label: characters(0, 200).default(''),
    enabled: z.boolean().default(true),
    params: freeFormMap.default({}),
    schedule: cadenceBody.nullable().optional(),
    config: z.unknown().optional(),
    secret: z
      .string()
      .max(255)
      .optional()
      .describe(
        'The address of the webhook, as shown when it was created. Its secret has a route of its own.',
      ),
  })
  .transform(({ secret, ...trigger }, context) => {
    const { id, type, schedule } = trigger;
    const refuse = (path: string, message: string, kind: string) =>
      context.issues.push({ code: 'custom', path: [path], message, params: { type: kind }, input: trigger });
    if (type === 'schedule' && schedule == null)
      refuse('schedule', 'Add a cadence: a schedule trigger requires one.', 'missing');
    if (type !== 'schedule' && schedule != null)
      refuse('schedule', `A ${type} trigger has no cadence. Remove it.`, 'extra_forbidden');
    if (secret !== undefined && (type !== 'webhook' || id === undefined))
      refuse(
        'secret',
        'Remove the secret: the service creates the secret of a webhook and shows it once.',
        'extra_forbidden',
      );
    if (type !== 'data_event' && type !== 'webhook' && trigger.config != null)
      refuse('config', `A ${type} trigger has no config. Remove it.`, 'extra_forbidden');
    if (type !== 'data_event' && trigger.config == null) return { ...trigger, config: undefined };
    const config =
      type === 'data_event'
        ? dataEventConfig.safeParse(trigger.config ?? {}, { reportInput: true })
        : hookConfig.safeParse(trigger.config, { reportInput: true });
    if (config.success) return { ...trigger, config: 'table_ids' in config.data ? config.data : undefined };
    for (const issue of config.error.issues)
      context.issues.push({ ...issue, path: ['config', ...issue.path] } as z.core.$ZodRawIssue);
    return z.NEVER;
  });

const folder = characters(0, 512).check(({ value, issues }) => {
  const message = value === '' ? undefined : pathFault(value);
  if (message !== undefined) issues.push({ code: 'custom', message, input: value });
});

const content = {
  title: visibleName(200),
  description: characters(0, 2_000).default(''),
  output_folder: folder.default(''),
  graph: graphBody,
  triggers: z.array(triggerBody).max(maxTriggers).default([]),
};

export const graphExample = {
  version: 1,
  parameters: { since: { type: 'date', required: true } },
  nodes: [
    {
      id: 'sales',
      type: 'query',
      name: 'Sales since',
      config: { sql: 'SELECT sum(amount) AS total FROM sales WHERE sold_on >= ${params.since}' },
    },
    { id: 'enough', type: 'condition', name: 'Enough?', config: { sql: 'SELECT total > 1000 FROM input' } },
    {
      id: 'tell',
      type: 'email_delivery',
      name: 'Tell',
      config: { to: ['sales@example.com'], subject: 'Sales since ${params.since}' },
    },
  ],
  edges: [
    { from: 'sales.rows', to: 'enough.input' },
    { from: 'enough.yes', to: 'tell.start' },
    { from: 'sales.rows', to: 'tell.input' },
  ],
};

const writeExample = {
  project_id: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  title: 'Sales alert',
  graph: graphExample,
  triggers: [
    {
      type: 'schedule',
      label: 'Every morning',
      params: { since: '2026-11-01' },
      schedule: { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '08:00' },
    },
  ],
};

export const createWorkflowBody = z
  .strictObject({ project_id: idText, ...content })
  .meta({ example: writeExample });

const { project_id: _, ...replaceExample } = writeExample;
export const replaceWorkflowBody = z
  .strictObject({
    ...content,
    graph: graphBody.nullish().describe('Required, except for a workflow of steps, which has none.'),
    expected_revision: revisionNumber.optional(),
  })
  .meta({ example: { ...replaceExample, expected_revision: 1 } });

/** `newId` returns the id of a new trigger, by its position. */
export function contentOf(
  body: Omit<z.output<typeof replaceWorkflowBody>, 'expected_revision'>,
  newId: (place: number) => string,
): WorkflowContent {
  return {
    title: body.title,
    description: body.description,
    outputFolder: body.output_folder,
    graph: body.graph ?? undefined,
    triggers: body.triggers.map(
      ({ id, type, label, enabled, params, schedule, config }, place): WrittenTrigger => ({
        id,
        newId: newId(place),
        type,
        label,
        enabled,
        params,
        cadence: schedule ?? undefined,
        config: config && {
          tableIds: config.table_ids,
          windowSeconds: config.window_seconds,
          ownWrites: config.own_writes,
        },
      }),
    ),
  };
}
