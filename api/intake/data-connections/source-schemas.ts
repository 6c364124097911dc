import { z } from 'zod';
import type { TestOutcome } from '../../../domain/intake/data-connections/probe.ts';
import { characters, envelope, page } from '../../schemas.ts';

const stage = z.enum(['resolve', 'address_refused', 'connect', 'tls', 'login', 'permission', 'request']);

export const testAnswer = envelope(
  z.object({
    ok: z.boolean(),
    elapsedMs: z.int(),
    failure: z.object({ stage, message: z.string() }).nullable(),
  }),
).meta({
  examples: [
    {
      data: {
        ok: false,
        elapsedMs: 180,
        failure: {
          stage: 'login',
          message: 'The source doesn\'t accept the login: password authentication failed for user "readonly"',
        },
      } satisfies TestOutcome,
    },
  ],
});

export const resourcesBody = z
  .strictObject({
    prefix: characters(0, 1_024).default('').describe('Only resources whose name begins with this text.'),
    limit: z.int().min(1).max(200).default(50).describe('The number of items per page.'),
    cursor: z.string().min(1).optional().describe('The `nextCursor` of the previous page.'),
  })
  .default({ prefix: '', limit: 50 })
  .meta({ examples: [{ prefix: 'public.', limit: 50 }] });

const resourceSchema = z
  .object({
    resource: z.string().describe('The name that a dataset uses for the resource.'),
    name: z.string(),
    kind: z.enum(['table', 'view', 'endpoint', 'prefix']),
    columns: z
      .array(z.object({ name: z.string(), dataType: z.string(), nullable: z.boolean() }))
      .describe(
        'The columns with the types of the source. Empty if the service would have to read the data to find them.',
      ),
    estimatedRows: z.number().nullable(),
    keyColumns: z.array(z.string()),
    error: z
      .string()
      .nullable()
      .describe("Why the columns of an HTTP resource can't be read. The text names its request_path."),
  })
  .meta({ id: 'SourceResource' });

export const resourcesAnswer = page(resourceSchema).meta({
  examples: [
    {
      items: [
        {
          resource: 'public.orders',
          name: 'orders',
          kind: 'table',
          columns: [
            { name: 'id', dataType: 'bigint', nullable: false },
            { name: 'amount', dataType: 'numeric(12,2)', nullable: true },
          ],
          estimatedRows: 120_000,
          keyColumns: ['id'],
          error: null,
        },
      ],
      nextCursor: null,
    },
  ],
});
