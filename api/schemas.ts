import { z } from 'zod';
import { ValidationError } from '../data/errors.ts';

export { characters, idText, ownName, visibleName } from './text.ts';

/** RFC 3339 in UTC with milliseconds. */
export const timestamp = z.iso.datetime().meta({ examples: ['2026-11-21T08:30:00.000Z'] });
export const nullableTimestamp = timestamp.nullable();

export const problemSchema = z
  .looseObject({
    type: z.string().describe('URI reference of a page about the problem.'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('Stable machine-readable code.'),
    request_id: z.string(),
  })
  .meta({ id: 'Problem', description: 'RFC 7807 problem document.' });

export const validationSchema = z
  .object({
    detail: z.array(
      z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }),
    ),
  })
  .meta({ id: 'ValidationError' });

/** The header every write takes; other headers are none of a route's business. */
export const idempotencyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same request under the same key gets its first answer again, for 24 hours.'),
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
  limit: integerText(z.int().min(1).max(200).default(50)).describe('Items per page.'),
  cursor: z.string().optional().meta({ minLength: 1, description: '`nextCursor` of the page before.' }),
});

export const confirmQuery = z.object({
  confirm: z.literal('true').describe('Must be `true`: the operation cannot be undone.'),
});

/** Opaque to clients; a changed one is refused rather than read wrongly. */
export function encodeCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function decodeCursor<T extends z.ZodType>(
  schema: T,
  cursor: string | undefined,
): z.infer<T> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new ValidationError([
      { loc: ['query', 'cursor'], msg: 'The cursor is not one of this list.', type: 'value_error' },
    ]);
  }
}

/** Cuts a list fetched with one item more than the limit into a page. */
export function toPage<T, R>(
  rows: readonly T[],
  limit: number,
  cursorOf: (row: T) => unknown,
  view: (row: T) => R,
) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(cursorOf(last)) : null;
  return { items: items.map(view), nextCursor };
}

export const idCursor = z.string();
