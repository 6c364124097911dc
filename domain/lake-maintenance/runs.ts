import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { notFound } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import type { Database, OrganizationTransaction } from '../../data/postgres/client.ts';
import type { LakeMaintenanceRuns } from '../../data/postgres/schema.gen.ts';

export type LakeMaintenanceRun = Selectable<LakeMaintenanceRuns>;
export type LakeMaintenanceRunStatus = 'queued' | 'running' | 'succeeded' | 'failed';

/** A run's life. A run that was asked for waits as `queued`; one of the cadence begins as `running`. */
export const lakeMaintenanceRunTransitions: Record<
  LakeMaintenanceRunStatus,
  readonly LakeMaintenanceRunStatus[]
> = {
  queued: ['running'],
  running: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

export async function getLakeMaintenanceRun(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<LakeMaintenanceRun> {
  const row = isId('car', id)
    ? await db
        .selectFrom('lake_maintenance_runs')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw notFound('The lake maintenance run');
  return row;
}

/** Newest first. */
export async function listLakeMaintenanceRuns(
  db: OrganizationTransaction,
  organizationId: string,
  options: { after: string | undefined; limit: number },
): Promise<LakeMaintenanceRun[]> {
  let query = db
    .selectFrom('lake_maintenance_runs')
    .selectAll()
    .where('organization_id', '=', organizationId);
  if (options.after !== undefined) query = query.where('id', '<', options.after);
  return query.orderBy('id', 'desc').limit(options.limit).execute();
}

/** The run that is asked for or under way; there is at most one. */
export async function findActiveLakeMaintenanceRun(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<LakeMaintenanceRun | undefined> {
  return db
    .selectFrom('lake_maintenance_runs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst();
}

/** Adds the run unless another is active; the active one, whichever it is. */
export async function ensureActiveLakeMaintenanceRun(
  db: OrganizationTransaction,
  row: Insertable<LakeMaintenanceRuns>,
): Promise<LakeMaintenanceRun> {
  for (;;) {
    const active = await findActiveLakeMaintenanceRun(db, row.organization_id);
    if (active !== undefined) return active;
    // Whoever was quicker is seen by the next look: its row is committed once this insert has waited for it.
    const added = await db
      .insertInto('lake_maintenance_runs')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (added !== undefined) return added;
    // The same request again, whose run has ended meanwhile.
    const earlier = await db
      .selectFrom('lake_maintenance_runs')
      .selectAll()
      .where('organization_id', '=', row.organization_id)
      .where('id', '=', row.id)
      .executeTakeFirst();
    if (earlier !== undefined) return earlier;
  }
}

/** Moves a run by compare-and-set along the table above; false when it is not where it should be. */
export async function moveLakeMaintenanceRun(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  from: LakeMaintenanceRunStatus,
  to: LakeMaintenanceRunStatus,
  change: Updateable<LakeMaintenanceRuns> = {},
): Promise<boolean> {
  if (!lakeMaintenanceRunTransitions[from].includes(to))
    throw new Error(`A lake maintenance run cannot go from ${from} to ${to}.`);
  const moved = await db
    .updateTable('lake_maintenance_runs')
    .set({
      ...change,
      status: to,
      ...(to === 'running' ? { started_at: new Date() } : { finished_at: new Date() }),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

export async function newestLakeMaintenanceRun(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<LakeMaintenanceRun | undefined> {
  return (await listLakeMaintenanceRuns(db, organizationId, { after: undefined, limit: 1 }))[0];
}

export interface UncaredLake {
  organizationId: string;
  /** A run was asked for and has not begun. */
  isAsked: boolean;
}

/** Ready lakes whose maintenance never started, went silent, or does not hear a request. */
export async function lakesDue(
  db: Database,
  limits: { silentForSeconds: number; deafForSeconds: number; atMost: number },
): Promise<UncaredLake[]> {
  const { silentForSeconds, deafForSeconds, atMost } = limits;
  const { rows } = await sql<{ organization_id: string; is_asked: boolean }>`
    SELECT organization_id, is_asked FROM lakes_due(
      make_interval(secs => ${silentForSeconds}), make_interval(secs => ${deafForSeconds}), ${atMost})
  `.execute(db);
  return rows.map((row) => ({ organizationId: row.organization_id, isAsked: row.is_asked }));
}

export async function markMaintenanceStarted(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<void> {
  await db
    .updateTable('lakes')
    .set({ maintenance_started_at: new Date() })
    .where('organization_id', '=', organizationId)
    .execute();
}

/** Runs are kept for 30 days. */
export async function purgeLakeMaintenanceRuns(db: Database, atMost: number): Promise<void> {
  await sql`SELECT purge_lake_maintenance(${atMost})`.execute(db);
}
