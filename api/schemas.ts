import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ValidationError } from '../data/errors.ts';

export { characters, idText, ownName, visibleName } from './text.ts';

/** RFC 3339 in UTC with milliseconds. */
export const timestamp = z.iso.datetime().meta({ examples: ['2026-11-21T08:30:00.000Z'] });
export const nullableTimestamp = timestamp.nullable();

export const problemSchema = z
  .looseObject({
    type: z.string().describe('A URI reference to a page about the problem.'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('A stable, machine-readable code.'),
    request_id: z.string(),
  })
  .meta({ id: 'Problem', description: 'An RFC 7807 problem document.' });

export const validationSchema = z
  .object({
    detail: z.array(
      z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }),
    ),
  })
  .meta({ id: 'ValidationError' });

/** The header every write accepts; routes do not validate other headers. */
export const idempotencyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Repeating the same request with the same key returns the first response again, for 24 hours.'),
});

/** One resource in its envelope. */
export function envelope<T extends z.ZodType>(schema: T) {
  return z.object({ data: schema });
}

export function page<T extends z.ZodType>(schema: T) {
  return z.object({ items: z.array(schema), nextCursor: z.string().nullable() });
}

/** An integer in a path or a query string: plain decimal digits. */
export function integerText<T extends z.ZodType<number>>(schema: T) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
    schema,
  );
}

export const pageQuery = z.object({
  limit: integerText(z.int().min(1).max(200).default(50)).describe('The number of items per page.'),
  cursor: z.string().optional().meta({ minLength: 1, description: 'The `nextCursor` of the previous page.' }),
});

export const confirmQuery = z.object({
  confirm: z.literal('true').describe("Must be `true`, because the operation can't be undone."),
});

/** What identifies a list for its cursors: its path and filters, which are those of `query`. */
export type ListRequest = Pick<FastifyRequest, 'url'> & {
  query: { limit: number; cursor?: string | undefined; [filter: string]: unknown };
};

/**
 * Parameters that do not identify a list: the page's position, the table version, which is in the cursor
 * itself, and a refresh before the first page.
 */
const noFilters = ['cursor', 'offset', 'limit', 'version', 'refresh'];

function listOf({ url, query }: ListRequest): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const name of new Set(searchParams.keys()))
    if (noFilters.includes(name) || !Object.hasOwn(query, name)) searchParams.delete(name);
  searchParams.sort();
  return createHash('sha256').update(`${pathname}?${searchParams}`).digest('base64url').slice(0, 8);
}

/** Opaque to clients; a modified cursor, or one of another list, is refused. */
export function encodeCursor(request: ListRequest, value: unknown): string {
  return Buffer.from(JSON.stringify([listOf(request), value])).toString('base64url');
}

/** The position in the request's cursor, if it has one. */
export function decodeCursor<T extends z.ZodType>(schema: T, request: ListRequest): z.infer<T> | undefined {
  const { cursor } = request.query;
  if (cursor === undefined) return undefined;
  const sent = z.tuple([z.literal(listOf(request)), schema]);
  try {
    return sent.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))[1] as z.infer<T>;
  } catch {
    throw new ValidationError([
      {
        loc: ['query', 'cursor'],
        msg: "The cursor doesn't belong to this list. Start again without a cursor.",
        type: 'value_error',
      },
    ]);
  }
}

/** Cuts a list fetched with one item more than the limit into a page. */
export function toPage<T, R>(
  request: ListRequest,
  rows: readonly T[],
  cursorOf: (row: T) => unknown,
  view: (row: T) => R,
  /** The number of items if the page ends before its limit, because its items are large. */
  shown = request.query.limit,
) {
  const limit = Math.min(request.query.limit, shown);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items: items.map(view), nextCursor: hasMore ? encodeCursor(request, cursorOf(last)) : null };
}

export const idCursor = z.string();

/** How much a model thinks before it answers. */
export const effortSchema = z.enum(['low', 'medium', 'high']);

/** A revision number, in PostgreSQL's range. */
export const revisionNumber = z.int().min(1).max(2_147_483_647);

/**
 * The moment of `expires_at`.
 *
 * @throws ValidationError
 */
export function inFuture(text: string): Date {
  const at = new Date(text);
  if (at.getTime() > Date.now() && at.getUTCFullYear() < 10_000) return at;
  throw new ValidationError([
    {
      loc: ['body', 'expires_at'],
      type: 'value_error',
      msg: 'The time must be in the future and before the year 10000.',
    },
  ]);
}
