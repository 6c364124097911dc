import type { Insertable, Selectable } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import { isId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';

export type DataSync = Selectable<DB['data_syncs']>;

export async function findDataSync(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  lock?: 'share' | 'update',
): Promise<DataSync | undefined> {
  if (!isId('dsn', id)) return undefined;
  // A sync exists as long as its table.
  const query = db
    .selectFrom('data_syncs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('tables')
          .select('tables.id')
          .whereRef('tables.organization_id', '=', 'data_syncs.organization_id')
          .whereRef('tables.id', '=', 'data_syncs.table_id')
          .where('tables.status', '=', 'ready'),
      ),
    );
  if (lock === 'share') return query.forShare().executeTakeFirst();
  if (lock === 'update') return query.forUpdate().executeTakeFirst();
  return query.executeTakeFirst();
}

export async function getDataSync(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  lock?: 'share' | 'update',
): Promise<DataSync> {
  const sync = await findDataSync(db, organizationId, id, lock);
  if (sync === undefined) throw notFound('The data sync');
  return sync;
}

/** Data syncs after an id, oldest first. */
export async function listDataSyncs(
  db: OrganizationTransaction,
  organizationId: string,
  after: string | undefined,
  limit: number,
): Promise<DataSync[]> {
  let query = db
    .selectFrom('data_syncs')
    .innerJoin('tables', (join) =>
      join
        .onRef('tables.organization_id', '=', 'data_syncs.organization_id')
        .onRef('tables.id', '=', 'data_syncs.table_id'),
    )
    .selectAll('data_syncs')
    .where('data_syncs.organization_id', '=', organizationId)
    .where('tables.status', '=', 'ready');
  if (after !== undefined) query = query.where('data_syncs.id', '>', after);
  return query.orderBy('data_syncs.id').limit(limit).execute();
}

/** Adds a sync; if the id exists, returns the existing one. */
export async function insertDataSync(
  db: OrganizationTransaction,
  sync: Insertable<DB['data_syncs']>,
): Promise<DataSync> {
  await db
    .insertInto('data_syncs')
    .values(sync)
    .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
    .execute();
  return getDataSync(db, sync.organization_id, sync.id);
}

/** Changes the current generation; idempotent. */
export async function rotateGeneration(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  generation: string,
): Promise<DataSync> {
  const sync = await getDataSync(db, organizationId, id, 'update');
  if (sync.generation === generation) return sync;
  return db
    .updateTable('data_syncs')
    .set({ generation, rotation: sync.rotation + 1 })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface AppliedBatch {
  batchId: string;
  generation: string | null;
  /** JSON text, or null. */
  checkpoint: string | null;
  version: number;
  appliedAt: Date;
}

/** Records the last applied batch: the one with the newest version, in whatever order they are reported. */
export async function recordCheckpoint(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  applied: AppliedBatch,
): Promise<void> {
  await db
    .updateTable('data_syncs')
    .set({
      checkpoint_batch_id: applied.batchId,
      checkpoint_generation: applied.generation,
      checkpoint: applied.checkpoint,
      checkpoint_version: applied.version,
      applied_at: applied.appliedAt,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where((where) =>
      where.or([
        where('checkpoint_version', 'is', null),
        where('checkpoint_version', '<', applied.version),
        // A batch without records creates no version of its own.
        where.and([
          where('checkpoint_version', '=', applied.version),
          where('applied_at', '<', applied.appliedAt),
        ]),
      ]),
    )
    .execute();
}
