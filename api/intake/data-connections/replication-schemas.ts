import { z } from 'zod';
import {
  bootstrapModes,
  cursorFormats,
  limitRanges,
  literalStyles,
  maxResources,
  paginationModes,
} from '../../../domain/intake/data-connections/replication-policy.ts';
import { characters } from '../../schemas.ts';

const maxParameters = 50;
const maxFields = 1_000;

const field = characters(1, 512).describe('A field of a record: a dotted path leads to inner ones.');
const parameterName = characters(1, 128);
const pointer = z
  .string()
  .max(1_024)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, 'A JSON Pointer (RFC 6901) is empty or begins with a slash.');

const parameters = z
  .record(z.string().min(1).max(128), characters(0, 4_096))
  .refine((map) => Object.keys(map).length <= maxParameters, {
    error: `At most ${maxParameters} parameters.`,
  });

const requestPath = characters(1, 1_024)
  .check(({ value, issues }) => {
    const message = pathFault(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  })
  .describe("Below the connection's base_url; a dataset names the resource by it.");

function pathFault(path: string): string | undefined {
  if (path.includes('://') || path.startsWith('//')) return 'A path lies below base_url: it is no address.';
  if (/[?#\\\s]/.test(path)) return 'A path has no query, fragment, backslash or space.';
  return path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
    ? 'A path has no part . or ..'
    : undefined;
}

const cursor = z.strictObject({
  field: field.describe('The field that marks how far a run has read: it grows with every change.'),
  format: z.enum(cursorFormats),
  literal_style: z.enum(literalStyles).optional().describe('How `${cursor}` is written; raw where left out.'),
  bootstrap_mode: z
    .enum(bootstrapModes)
    .optional()
    .describe('Whether the first run reads everything (`full`, where left out) or begins now.'),
  tie_breaker_field: field.optional(),
  tie_breaker_format: z.enum(cursorFormats).optional(),
});

const pagination = z.strictObject({
  mode: z.enum(paginationModes),
  data_pointer: pointer.optional().describe('To the list of records; the whole answer where left out.'),
  next_pointer: pointer.optional().describe("To the next page's link or token."),
  page_size: z.int().min(1).max(100_000).optional(),
  page_size_parameter: parameterName.optional(),
  page_parameter: parameterName.optional().describe('`page` where left out; pages count from 1.'),
  offset_parameter: parameterName.optional().describe('`offset` where left out.'),
  token_parameter: parameterName.optional().describe('`page_token` where left out.'),
  max_pages_per_run: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('A run that reaches it ends as succeeded, and the next run continues from there.'),
});

const limits = z.strictObject(
  Object.fromEntries(
    Object.entries(limitRanges).map(([name, [lowest, highest]]) => [
      name,
      z.int().min(lowest).max(highest).optional(),
    ]),
  ) as Record<keyof typeof limitRanges, z.ZodOptional<z.ZodInt>>,
);

const resource = z
  .strictObject({
    request_path: requestPath,
    query_parameters: parameters
      .optional()
      .describe(
        'Of every run that has a cursor; `${cursor}` and `${tie_breaker}` stand for where it begins.',
      ),
    initial_query_parameters: parameters.optional().describe('Of the run that has no cursor yet.'),
    field_mappings: z
      .record(z.string().min(1).max(512), characters(1, 128))
      .refine((map) => Object.keys(map).length <= maxFields, { error: `At most ${maxFields} fields.` })
      .optional()
      .describe('From a field to its column; fields that are not named keep their names.'),
    json_string_fields: z
      .array(field)
      .max(maxFields)
      .optional()
      .describe('Fields that hold JSON in a string.'),
    cursor: cursor.optional(),
    pagination: pagination.optional(),
  })
  .meta({ id: 'HttpResource' });

export const httpReplicationBody = z
  .strictObject({
    version: z.int().min(1).max(2_147_483_647).optional(),
    validate_server_address: z
      .boolean()
      .optional()
      .describe('Whether private addresses are refused. `false` only where the operator allows it.'),
    limits: limits.optional(),
    resources: z.array(resource).max(maxResources).optional(),
  })
  .meta({ id: 'HttpReplication', description: 'How an HTTP source is read.' });

export const replicationExample: z.input<typeof httpReplicationBody> = {
  version: 1,
  validate_server_address: true,
  limits: { requests_per_second: 5, max_concurrency: 2 },
  resources: [
    {
      request_path: '/contacts',
      query_parameters: { updated_since: '${cursor}', sort: 'updated_at' },
      initial_query_parameters: { sort: 'updated_at' },
      field_mappings: { 'address.city': 'city' },
      json_string_fields: ['properties'],
      cursor: {
        field: 'updated_at',
        format: 'iso8601',
        literal_style: 'raw',
        bootstrap_mode: 'full',
        tie_breaker_field: 'id',
        tie_breaker_format: 'integer',
      },
      pagination: {
        mode: 'next_link',
        data_pointer: '/items',
        next_pointer: '/links/next',
        page_size: 100,
        page_size_parameter: 'limit',
        max_pages_per_run: 1_000,
      },
    },
  ],
};
