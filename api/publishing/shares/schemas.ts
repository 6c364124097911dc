import { z } from 'zod';
import { ValidationError } from '../../../data/errors.ts';
import type { Share } from '../../../domain/publishing/shares/shares.ts';
import { limits } from '../../../domain/workspace/limits/limits.ts';
import { characters, idText, inFuture, nullableTimestamp, timestamp } from '../../schemas.ts';

const types = ['dashboard', 'report', 'query'] as const;

/** Nothing else may be in it, because it becomes a part of a header. */
const origin = /^https?:\/\/(?=.{1,253}(?::|$))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[1-9]\d{0,4})?$/;

export const shareBody = z
  .strictObject({
    resource: z.strictObject({ type: z.enum(types), id: idText }),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('When the link ends, at most a year from now. The default is a year.'),
    embed_origins: z
      .array(
        characters(1, 300).regex(origin, 'An origin has the form `https://www.example.com`, without a path.'),
      )
      .max(limits.shares.embedOrigins.most)
      .default([])
      .describe('Sites that can show the page in a frame. By default, none can.'),
    open_filters: z
      .boolean()
      .default(false)
      .describe(
        'Whether anyone with the link can give values of filters, or of parameters, in the query string.',
      ),
  })
  .meta({ examples: [{ resource: { type: 'dashboard', id: 'dsh_01kahz3v6dfyvb1s8m3h9q2w4x' } }] });

export const shareSchema = z
  .object({
    id: z.string(),
    resource: z.object({ type: z.enum(types), id: z.string() }),
    expiresAt: timestamp,
    embedOrigins: z.array(z.string()),
    createdByUserId: z.string(),
    createdAt: timestamp,
    lastUsedAt: nullableTimestamp,
    revokedAt: nullableTimestamp,
  })
  .meta({ id: 'Share' });

export const madeShareSchema = shareSchema
  .extend({ url: z.string().describe('The link. It is shown only once.') })
  .meta({ id: 'NewShare' });

export const shareExample: z.input<typeof shareSchema> = {
  id: 'shr_01kahz3v6dfyvb1s8m3h9q2w4x',
  resource: { type: 'dashboard', id: 'dsh_01kahz3v6dfyvb1s8m3h9q2w4x' },
  expiresAt: '2027-11-21T08:30:00.000Z',
  embedOrigins: ['https://www.example.com'],
  createdByUserId: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
};

export const madeShareExample: z.input<typeof madeShareSchema> = {
  ...shareExample,
  url: 'https://workspace.example.com/shared/wsh_…',
};

export function shareView(row: Share): z.input<typeof shareSchema> {
  return {
    id: row.id,
    resource: { type: row.resource_type, id: row.resource_id },
    expiresAt: row.expires_at.toISOString(),
    embedOrigins: row.embed_origins,
    createdByUserId: row.created_by,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}

/**
 * The end of a share: within a year.
 *
 * @throws ValidationError at `["body", "expires_at"]`
 */
export function endOf(given: string | undefined): Date {
  const latest = new Date();
  latest.setUTCFullYear(latest.getUTCFullYear() + 1);
  if (given === undefined) return latest;
  const at = inFuture(given);
  if (at.getTime() <= latest.getTime()) return at;
  const msg = 'A share lasts at most a year.';
  throw new ValidationError([{ loc: ['body', 'expires_at'], type: 'value_error', msg }]);
}
