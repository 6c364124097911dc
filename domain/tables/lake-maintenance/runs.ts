import { type Insertable, sql } from 'kysely';
import type { Database, OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';

export type LakeMaintenanceRun = RecordOf<'lake_maintenance_runs'>;

/** Listed newest first. */
export const { get: getLakeMaintenanceRun, list: listLakeMaintenanceRuns } = records(
  'lake_maintenance_runs',
  { prefix: 'car', what: 'The lake maintenance run' },
);

/** A run's states. A requested run waits as `queued`; a scheduled one begins as `running`. */
export const lakeMaintenanceRunStates = states(
  'lake_maintenance_runs',
  { queued: ['running'], running: ['succeeded', 'failed'], succeeded: [], failed: [] },
  (to) => (to === 'running' ? { started_at: new Date() } : { finished_at: new Date() }),
);

/** The queued or running run; there is at most one. */
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

/** Adds the run unless another is active; returns the active one in either case. */
export async function ensureActiveLakeMaintenanceRun(
  db: OrganizationTransaction,
  row: Insertable<DB['lake_maintenance_runs']>,
): Promise<LakeMaintenanceRun> {
  for (;;) {
    const active = await findActiveLakeMaintenanceRun(db, row.organization_id);
    if (active !== undefined) return active;
    // A concurrent insert is seen by the next iteration: its row is committed once this insert has waited for
    // it.
    const added = await db
      .insertInto('lake_maintenance_runs')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (added !== undefined) return added;
    // A repeated request whose run has already ended.
    const earlier = await db
      .selectFrom('lake_maintenance_runs')
      .selectAll()
      .where('organization_id', '=', row.organization_id)
      .where('id', '=', row.id)
      .executeTakeFirst();
    if (earlier !== undefined) return earlier;
  }
}

export async function newestLakeMaintenanceRun(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<LakeMaintenanceRun | undefined> {
  return (await listLakeMaintenanceRuns(db, organizationId, { after: undefined, limit: 1 }))[0];
}

export interface LakeDue {
  organizationId: string;
  /** A run was requested and has not begun. */
  isAsked: boolean;
}

/** Ready lakes whose maintenance never started, stopped recording runs, or missed a request. */
export async function lakesDue(
  db: Database,
  limits: { silentForSeconds: number; unansweredForSeconds: number; atMost: number },
): Promise<LakeDue[]> {
  const { silentForSeconds, unansweredForSeconds, atMost } = limits;
  const { rows } = await sql<{ organization_id: string; is_asked: boolean }>`
    SELECT organization_id, is_asked FROM lakes_due(
      make_interval(secs => ${silentForSeconds}), make_interval(secs => ${unansweredForSeconds}), ${atMost})
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
