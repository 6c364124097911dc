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
          message: 'The source does not accept the login: password authentication failed for user "readonly"',
        },
      } satisfies TestOutcome,
    },
  ],
});

export const resourcesBody = z
  .strictObject({
    prefix: characters(0, 1_024).default('').describe('Resources that begin so.'),
    limit: z.int().min(1).max(200).default(50).describe('Items per page.'),
    cursor: z.string().min(1).optional().describe('`nextCursor` of the page before.'),
  })
  .default({ prefix: '', limit: 50 })
  .meta({ examples: [{ prefix: 'public.', limit: 50 }] });

const resourceSchema = z
  .object({
    resource: z.string().describe('What a dataset names it by.'),
    name: z.string(),
    kind: z.enum(['table', 'view', 'endpoint', 'prefix']),
    columns: z
      .array(z.object({ name: z.string(), dataType: z.string(), nullable: z.boolean() }))
      .describe("In the source's own types; empty where finding them out would mean reading the data."),
    estimatedRows: z.number().nullable(),
    keyColumns: z.array(z.string()),
    error: z
      .string()
      .nullable()
      .describe('Why the columns of an HTTP resource cannot be read, naming its request_path.'),
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
