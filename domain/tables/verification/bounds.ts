import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';

/** All of them are read before anything is tested. */
const quotas = {
  verification_definitions: limits.tests.definitions,
  verification_overlays: limits.tests.overlays,
} as const;

const mostBytes = limits.tests.parameterBytes.most;

/**
 * Refuses a definition or an overlay that would be one too many, or whose parameters are too much together
 * with those of others.
 *
 * @throws AppError conflict
 */
export async function refuseTooMuch(
  db: OrganizationTransaction,
  table: keyof typeof quotas,
  { organizationId, id, params }: { organizationId: string; id: string; params: object | null | undefined },
): Promise<void> {
  const quota = quotas[table];
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
      `The parameters of all ${quota.what} of the organization take more than 8 MiB. Shorten or delete some of them.`,
    );
  refuseBeyond(quota, Number(count));
}
