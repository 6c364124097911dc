import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/** All of them are read before anything is tested. */
const bounds = {
  verification_definitions: { most: 2_000, what: 'test definitions' },
  verification_overlays: { most: 10_000, what: 'overlays' },
} as const;

const mostBytes = 8 * 1_024 ** 2;

/**
 * Refuses a definition or an overlay that would be one too many, or whose parameters are too much together
 * with those of others.
 *
 * @throws AppError conflict
 */
export async function refuseTooMuch(
  db: OrganizationTransaction,
  table: keyof typeof bounds,
  { organizationId, id, params }: { organizationId: string; id: string; params: object | null | undefined },
): Promise<void> {
  const { most, what } = bounds[table];
  const { count, bytes } = await db
    .selectFrom(table)
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      sql<number>`coalesce(sum(octet_length(params)), 0)`.as('bytes'),
    ])
    .where('organization_id', '=', organizationId)
    .where('id', '<>', id)
    .executeTakeFirstOrThrow();
  if (Number(bytes) + Buffer.byteLength(JSON.stringify(params ?? null)) > mostBytes)
    throw new AppError(
      'conflict',
      `The parameters of all ${what} of the organization take more than 8 MiB: shorten or delete some.`,
    );
  if (Number(count) >= most)
    throw new AppError(
      'conflict',
      `The organization has ${most.toLocaleString('en-US')} ${what}, the most there may be: delete some.`,
    );
}
