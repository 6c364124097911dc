import { z } from 'zod';
import { isRawNumber, type RawNumber } from '../../../data/exact-json.ts';
import { namesIn, type Parameters } from '../../../domain/analyst/playbooks/parameters.ts';
import type { listVersions, Playbook } from '../../../domain/analyst/playbooks/playbooks.ts';
import { pathFault } from '../../../domain/workspace/files/path.ts';
import { freeFormMap } from '../../free-form.ts';
import { characters, effortSchema, timestamp, visibleName } from '../../schemas.ts';

const types = ['string', 'number', 'boolean', 'date', 'table'] as const;
const maxParameters = 50;
const parameterName = /^[A-Za-z_]\w{0,63}$/;

const scalar = z
  .union([z.string(), z.boolean(), z.number(), z.custom<RawNumber>(isRawNumber).meta({ type: 'number' })])
  .meta({ description: "A value of the parameter's type." });

const parametersBody = z
  .record(
    z
      .string()
      .regex(parameterName, "A name can contain letters, digits and _, and can't begin with a digit."),
    z.strictObject({
      type: z.enum(types),
      required: z.boolean().default(false),
      default: scalar.nullable().default(null),
      description: characters(0, 500).default(''),
    }),
  )
  .refine((parameters) => Object.keys(parameters).length <= maxParameters, {
    message: `A playbook can have up to ${maxParameters} parameters.`,
  });

/** A path may contain parameters; each run checks it again with their values. */
const outputPath = characters(1, 1_024).check(({ value, issues }) => {
  const names = namesIn(value);
  const example = names.reduce((path, name) => path.replaceAll(`\${${name}}`, 'x'), value);
  const message = pathFault(example);
  if (message !== undefined) issues.push({ code: 'custom', message, input: value });
});

const outputBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('report'),
    title: characters(0, 200)
      .default('')
      .describe('The title of the report. If it is empty, the title is the first heading of the report.'),
  }),
  z.strictObject({
    type: z.literal('file'),
    path: outputPath.describe('The path of a file in the project.'),
  }),
]);

const content = {
  title: visibleName(200),
  description: characters(0, 2_000),
  instructions: characters(1, 200_000).refine((text) => Buffer.byteLength(text) <= 204_800, {
    message: 'Instructions can have up to 200 KB.',
  }),
  parameters: parametersBody,
  output: outputBody,
  model: characters(1, 200)
    .nullable()
    .describe('The id of a model of `GET /v1/models`. Null means the default model.'),
  effort: effortSchema.nullable(),
};

const writeExample = {
  title: 'Weekly sales',
  instructions:
    '# Sales since ${since}\n\n- total amount by region since ${since} as a bar chart\n- top 5 customers by amount',
  parameters: { since: { type: 'date', required: true, description: 'The first day.' } },
  output: { type: 'report', title: 'Sales since ${since}' },
};

export const createPlaybookBody = z
  .strictObject({
    ...content,
    description: content.description.default(''),
    parameters: content.parameters.default({}),
    // The document omits the default: client generators skip a member whose default is an object.
    output: content.output
      .default({ type: 'report', title: '' })
      .meta({ default: undefined, description: 'What a run creates. The default is a report.' }),
    model: content.model.default(null),
    effort: content.effort.default(null),
  })
  .meta({ examples: [writeExample] });

export const changePlaybookBody = z
  .strictObject({ ...z.object(content).partial().shape, expected_revision: z.int().min(1).optional() })
  .meta({ examples: [{ title: 'Weekly sales by region', expected_revision: 1 }] });

export const runPlaybookBody = z
  .strictObject({ params: freeFormMap.default({}) })
  .default({ params: {} })
  .meta({ examples: [{ params: { since: '2026-11-16' } }] });

const parameterSchema = z.object({
  type: z.enum(types),
  required: z.boolean(),
  default: z.custom<unknown>(() => true).meta({ description: "A value of the parameter's type, or null." }),
  description: z.string(),
});

const shown = {
  title: z.string(),
  description: z.string(),
  instructions: z.string(),
  parameters: z.record(z.string(), parameterSchema),
  output: z.discriminatedUnion('type', [
    z.object({ type: z.literal('report'), title: z.string() }),
    z.object({ type: z.literal('file'), path: z.string() }),
  ]),
  model: z.string().nullable(),
  effort: effortSchema.nullable(),
};

export const playbookSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    ...shown,
    revision: z.int(),
    createdByUserId: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Playbook' });

export const playbookVersionSchema = z
  .object({ revision: z.int(), ...shown, createdByUserId: z.string(), createdAt: timestamp })
  .meta({ id: 'PlaybookVersion' });

const shownExample = {
  title: 'Weekly sales',
  description: '',
  instructions: writeExample.instructions,
  parameters: {
    since: { type: 'date' as const, required: true, default: null, description: 'The first day.' },
  },
  output: { type: 'report' as const, title: 'Sales since ${since}' },
  model: null,
  effort: null,
};

export const playbookExample: z.input<typeof playbookSchema> = {
  id: 'pbk_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  ...shownExample,
  revision: 1,
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export const playbookVersionExample: z.input<typeof playbookVersionSchema> = {
  revision: 1,
  ...shownExample,
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
};

export function playbookView(row: Playbook): z.input<typeof playbookSchema> {
  return {
    id: row.id,
    projectId: row.project_id,
    ...shownOf(row),
    revision: row.revision,
    createdByUserId: row.created_by,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

type Version = Awaited<ReturnType<typeof listVersions>>['rows'][number];

export function playbookVersionView(row: Version): z.input<typeof playbookVersionSchema> {
  return {
    revision: row.revision,
    ...shownOf({ ...row, effort: row.effort as Playbook['effort'] }),
    createdByUserId: row.created_by,
    createdAt: row.created_at.toISOString(),
  };
}

function shownOf(
  row: Pick<
    Playbook,
    'title' | 'description' | 'instructions' | 'parameters' | 'output' | 'model' | 'effort'
  >,
) {
  const { title, description, instructions, model, effort } = row;
  const parameters: Parameters = row.parameters;
  return { title, description, instructions, parameters, output: row.output, model, effort };
}
