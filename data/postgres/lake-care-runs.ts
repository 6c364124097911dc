import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import type { Database, OrganizationTransaction } from './client.ts';
import type { LakeCareRuns } from './schema.gen.ts';

export type LakeCareRun = Selectable<LakeCareRuns>;
export type LakeCareRunStatus = 'queued' | 'running' | 'succeeded' | 'failed';

/** A run's life. A run that was asked for waits as `queued`; one of the cadence begins as `running`. */
export const lakeCareRunTransitions: Record<LakeCareRunStatus, readonly LakeCareRunStatus[]> = {
  queued: ['running'],
  running: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

export async function getLakeCareRun(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<LakeCareRun> {
  const row = isId('car', id)
    ? await db
        .selectFrom('lake_care_runs')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw notFound('The lake care run');
  return row;
}

/** Newest first. */
export async function listLakeCareRuns(
  db: OrganizationTransaction,
  organizationId: string,
  options: { after: string | undefined; limit: number },
): Promise<LakeCareRun[]> {
  let query = db.selectFrom('lake_care_runs').selectAll().where('organization_id', '=', organizationId);
  if (options.after !== undefined) query = query.where('id', '<', options.after);
  return query.orderBy('id', 'desc').limit(options.limit).execute();
}

/** The run that is asked for or under way; there is at most one. */
export async function findActiveLakeCareRun(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<LakeCareRun | undefined> {
  return db
    .selectFrom('lake_care_runs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst();
}

/** Adds the run unless another is active; the active one, whichever it is. */
export async function ensureActiveLakeCareRun(
  db: OrganizationTransaction,
  row: Insertable<LakeCareRuns>,
): Promise<LakeCareRun> {
  for (;;) {
    const active = await findActiveLakeCareRun(db, row.organization_id);
    if (active !== undefined) return active;
    // Whoever was quicker is seen by the next look: its row is committed once this insert has waited for it.
    const added = await db
      .insertInto('lake_care_runs')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (added !== undefined) return added;
    // The same request again, whose run has ended meanwhile.
    const earlier = await db
      .selectFrom('lake_care_runs')
      .selectAll()
      .where('organization_id', '=', row.organization_id)
      .where('id', '=', row.id)
      .executeTakeFirst();
    if (earlier !== undefined) return earlier;
  }
}

/** Moves a run by compare-and-set along the table above; false when it is not where it should be. */
export async function moveLakeCareRun(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  from: LakeCareRunStatus,
  to: LakeCareRunStatus,
  change: Updateable<LakeCareRuns> = {},
): Promise<boolean> {
  if (!lakeCareRunTransitions[from].includes(to))
    throw new Error(`A lake care run cannot go from ${from} to ${to}.`);
  const moved = await db
    .updateTable('lake_care_runs')
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

export async function newestLakeCareRun(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<LakeCareRun | undefined> {
  return (await listLakeCareRuns(db, organizationId, { after: undefined, limit: 1 }))[0];
}

export interface UncaredLake {
  organizationId: string;
  /** A run was asked for and has not begun. */
  isAsked: boolean;
}

/** Ready lakes whose care never started, went silent, or does not hear a request. */
export async function uncaredLakes(
  db: Database,
  limits: { silentForSeconds: number; deafForSeconds: number; atMost: number },
): Promise<UncaredLake[]> {
  const { silentForSeconds, deafForSeconds, atMost } = limits;
  const { rows } = await sql<{ organization_id: string; is_asked: boolean }>`
    SELECT organization_id, is_asked FROM uncared_lakes(
      make_interval(secs => ${silentForSeconds}), make_interval(secs => ${deafForSeconds}), ${atMost})
  `.execute(db);
  return rows.map((row) => ({ organizationId: row.organization_id, isAsked: row.is_asked }));
}

export async function markCareStarted(db: OrganizationTransaction, organizationId: string): Promise<void> {
  await db
    .updateTable('lakes')
    .set({ care_started_at: new Date() })
    .where('organization_id', '=', organizationId)
    .execute();
}

/** Runs are kept for 30 days. */
export async function purgeLakeCareRuns(db: Database, atMost: number): Promise<void> {
  await sql`SELECT purge_lake_care(${atMost})`.execute(db);
}
