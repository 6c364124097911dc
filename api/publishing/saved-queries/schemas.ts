import { z } from 'zod';
import { isRawNumber, type RawNumber } from '../../../data/exact-json.ts';
import { chartTypes } from '../../../domain/publishing/saved-queries/chart.ts';
import { type Parameters, parameterTypes } from '../../../domain/publishing/saved-queries/parameters.ts';
import type { SavedQuery } from '../../../domain/publishing/saved-queries/saved-queries.ts';
import { limits } from '../../../domain/workspace/limits/limits.ts';
import { freeFormMap, keptMap, mapOf, mapSchema } from '../../free-form.ts';
import { characters, revisionNumber, timestamp, visibleName } from '../../schemas.ts';
import { pinnedVersions } from '../../tables/query-executions/schemas.ts';

const maxParameters = limits.savedQueries.parameters.most;
const maxMapBytes = 65_536;
export const parameterName = /^[A-Za-z_]\w{0,63}$/;

const scalar = z.union([
  z.string(),
  z.boolean(),
  z.number(),
  z.custom<RawNumber>(isRawNumber).meta({ type: 'number' }),
]);
/** Checked by its type where it is stored. */
export const parameterValue = z
  .union([scalar, z.array(scalar)])
  .meta({ description: 'A value of the type. A list has up to 100 values.' });

export const parameterType = z.enum(parameterTypes).meta({ id: 'ParameterType' });

const parametersBody = z
  .record(
    z
      .string()
      .regex(parameterName, "A name can contain letters, digits and _, and can't begin with a digit."),
    z.strictObject({
      type: parameterType,
      default: parameterValue
        .nullable()
        .default(null)
        .describe('The value that is used if none is given. Null means that one must be given.'),
      choices_sql: characters(1, 10_000)
        .optional()
        .describe('A SELECT of the values that a person can choose from.'),
    }),
  )
  .refine((parameters) => Object.keys(parameters).length <= maxParameters, {
    message: `A query can have up to ${maxParameters} parameters.`,
  })
  .refine((parameters) => Buffer.byteLength(JSON.stringify(parameters)) <= maxMapBytes, {
    message: `Parameters can have up to ${maxMapBytes / 1_024} KiB as JSON.`,
  });

const columnName = characters(1, 255);

export const chartBody = z
  .strictObject({
    type: z.enum(chartTypes),
    x: columnName.nullable().default(null).describe('The column of the horizontal axis, or of the slices.'),
    y: z.array(columnName).max(20).default([]).describe('The columns of numbers.'),
    series: columnName.nullable().default(null).describe('The column whose values get colors of their own.'),
    // The document omits the default: client generators skip a member whose default is an object.
    options: freeFormMap
      .default({})
      .meta({ default: undefined, description: 'Your own options, which the service only keeps.' }),
  })
  .describe('How the rows are shown. Columns are named as in the answer.');

const content = {
  name: visibleName(200),
  description: characters(0, 2_000),
  sql: characters(1, 100_000).describe(
    'A SELECT. `{{name}}` is the value of a parameter, which is bound. A list stands for its values in brackets: `IN {{ids}}`.',
  ),
  parameters: parametersBody,
  chart: chartBody.nullable(),
};

const writeExample = {
  name: 'Orders by city',
  sql: 'SELECT 1 AS orders, {{city}} AS city',
  parameters: { city: { type: 'string', default: 'Porto' } },
  chart: { type: 'bar', x: 'city', y: ['orders'] },
};

export const createSavedQueryBody = z
  .strictObject({
    ...content,
    description: content.description.default(''),
    parameters: content.parameters.default({}),
    chart: content.chart.default(null),
  })
  .meta({ examples: [writeExample] });

export const changeSavedQueryBody = z
  .strictObject({ ...z.object(content).partial().shape, expected_revision: revisionNumber.optional() })
  .meta({ examples: [{ name: 'Orders by town', expected_revision: 1 }] });

export const valuesMap = mapOf(262_144).meta(mapSchema);

export const executeBody = z
  .strictObject({
    params: valuesMap.default({}).meta({
      default: undefined,
      description: 'Values by parameter. Parameters that you omit have their defaults.',
    }),
    limit: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('The maximum number of rows, as in `POST /v1/query-executions`.'),
    at_versions: pinnedVersions.optional(),
  })
  .default({ params: {} })
  .meta({ examples: [{ params: { city: 'Braga' }, limit: 10 }] });

export const chartSchema = z
  .object({
    type: z.enum(chartTypes),
    x: z.string().nullable(),
    y: z.array(z.string()),
    series: z.string().nullable(),
    options: keptMap,
  })
  .meta({ id: 'QueryChart' });

export const anyValue = z.custom<unknown>(() => true).meta({ description: 'A value of the type, or null.' });

export const savedQuerySchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string(),
    sql: z.string(),
    parameters: z.record(
      z.string(),
      z.object({ type: parameterType, default: anyValue, choices_sql: z.string().optional() }),
    ),
    chart: chartSchema.nullable(),
    createdByUserId: z.string(),
    revision: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'SavedQuery' });

export const savedQueryExample: z.input<typeof savedQuerySchema> = {
  id: 'sqy_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'Orders by city',
  description: '',
  sql: 'SELECT city, count(*) AS orders FROM orders WHERE placed_at >= {{since}} GROUP BY ALL',
  parameters: { since: { type: 'date', default: '2026-01-01' } },
  chart: { type: 'bar', x: 'city', y: ['orders'], series: null, options: {} },
  createdByUserId: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  revision: 1,
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export function savedQueryView(row: SavedQuery): z.input<typeof savedQuerySchema> {
  const parameters: Parameters = row.parameters;
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    sql: row.sql,
    parameters,
    chart: row.chart,
    createdByUserId: row.created_by,
    revision: row.revision,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
