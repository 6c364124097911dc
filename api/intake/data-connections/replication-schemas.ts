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

const field = characters(1, 512).describe('A field of a record. A dotted path leads to nested fields.');
const parameterName = characters(1, 128);
const pointer = z
  .string()
  .max(1_024)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, 'A JSON Pointer (RFC 6901) must be empty or begin with a slash.');

const parameters = z
  .record(z.string().min(1).max(128), characters(0, 4_096))
  .refine((map) => Object.keys(map).length <= maxParameters, {
    error: `A request can have up to ${maxParameters} parameters.`,
  });

const requestPath = characters(1, 1_024)
  .check(({ value, issues }) => {
    const message = pathFault(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  })
  .describe("A path below the connection's base_url. A dataset names the resource by it.");

function pathFault(path: string): string | undefined {
  if (path.includes('://') || path.startsWith('//'))
    return "A path must lie below base_url. It can't be a full address.";
  if (/[?#\\\s]/.test(path)) return "A path can't contain a query, a fragment, a backslash or a space.";
  return path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
    ? "A path can't contain a part . or .."
    : undefined;
}

const cursor = z.strictObject({
  field: field.describe('The field that marks how far a run has read. It must grow with every change.'),
  format: z.enum(cursorFormats),
  literal_style: z.enum(literalStyles).optional().describe('How `${cursor}` is written. The default is raw.'),
  bootstrap_mode: z
    .enum(bootstrapModes)
    .optional()
    .describe('Whether the first run reads everything (`full`, the default) or starts from now.'),
  tie_breaker_field: field.optional(),
  tie_breaker_format: z.enum(cursorFormats).optional(),
});

const pagination = z.strictObject({
  mode: z.enum(paginationModes),
  data_pointer: pointer
    .optional()
    .describe('A JSON Pointer to the list of records. The default is the whole response.'),
  next_pointer: pointer.optional().describe('A JSON Pointer to the link or token of the next page.'),
  page_size: z.int().min(1).max(100_000).optional(),
  page_size_parameter: parameterName.optional(),
  page_parameter: parameterName
    .optional()
    .describe('The parameter with the page number, counted from 1. The default is `page`.'),
  offset_parameter: parameterName
    .optional()
    .describe('The parameter with the offset. The default is `offset`.'),
  token_parameter: parameterName
    .optional()
    .describe('The parameter with the page token. The default is `page_token`.'),
  max_pages_per_run: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'The limit of pages for one run. A run that reaches it succeeds, and the next run continues from there.',
    ),
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
        'The query parameters of every run that has a cursor. `${cursor}` and `${tie_breaker}` stand for where it starts.',
      ),
    initial_query_parameters: parameters
      .optional()
      .describe('The query parameters of a run that has no cursor yet.'),
    field_mappings: z
      .record(z.string().min(1).max(512), characters(1, 128))
      .refine((map) => Object.keys(map).length <= maxFields, {
        error: `A resource can have up to ${maxFields} fields.`,
      })
      .optional()
      .describe("Maps each field to its column. Fields that you don't list keep their names."),
    json_string_fields: z
      .array(field)
      .max(maxFields)
      .optional()
      .describe('Fields that hold JSON as a string.'),
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
      .describe(
        'Whether private addresses are refused. You can send `false` only if the operator allows it.',
      ),
    limits: limits.optional(),
    resources: z.array(resource).max(maxResources).optional(),
  })
  .meta({ id: 'HttpReplication', description: 'How the service reads an HTTP source.' });

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
