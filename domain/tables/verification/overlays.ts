import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import { parseExactJson } from '../../../data/exact-json.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { Params } from './kinds.ts';

/** Changes a definition where it applies. */
export type Overlay = RecordOf<'verification_overlays'>;

const overlays = records('verification_overlays', { prefix: 'vto', what: 'The overlay' });

export const {
  find: findOverlay,
  get: getOverlay,
  list: listOverlays,
  insert: insertOverlay,
  update: updateOverlay,
  remove: removeOverlay,
} = overlays;

export const mostOverlays = 10_000;

export const changedParams = ({ params }: Pick<Overlay, 'params'>): Params | undefined =>
  params === null ? undefined : (parseExactJson(params) as Params);

export function allOverlays(db: OrganizationTransaction, organizationId: string): Promise<Overlay[]> {
  return db
    .selectFrom('verification_overlays')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
}

/** All of them are read before anything is tested. */
const mostBytes = 8 * 1_024 ** 2;

/**
 * Refuses an overlay that would be one too many, or whose parameters are too much together with others.
 *
 * @throws AppError conflict
 */
export async function refuseTooMuchOverlaid(
  db: OrganizationTransaction,
  organizationId: string,
  { id, params }: { id: string; params: object | null | undefined },
): Promise<void> {
  const { count, bytes } = await db
    .selectFrom('verification_overlays')
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
      'The parameters of all overlays of the organization take more than 8 MiB: shorten or delete some.',
    );
  if (Number(count) < mostOverlays) return;
  throw new AppError(
    'conflict',
    `The organization has ${mostOverlays.toLocaleString('en-US')} overlays, the most there may be: delete some.`,
  );
}
