import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';

/** The position of an active data_event trigger in the ledger. */
export interface Cursor {
  organizationId: string;
  workflowId: string;
  /** Whose rights its runs have. */
  ownerId: string;
  triggerId: string;
  /** The active version. */
  versionId: string;
  config: { tableIds: readonly string[]; windowSeconds: number; ownWrites: boolean };
  since: Date;
  version: number | null;
  /** The run being started, on the version that was active when it was planned. */
  plan: { runId: string; to: number; versionId: string } | undefined;
}

export async function waitingCursors(db: OrganizationTransaction, organizationId: string): Promise<Cursor[]> {
  const rows = await db
    .selectFrom('workflow_event_cursors as cursor')
    .innerJoin('workflow_active_triggers as trigger', (join) =>
      join
        .onRef('trigger.organization_id', '=', 'cursor.organization_id')
        .onRef('trigger.id', '=', 'cursor.trigger_id'),
    )
    .innerJoin('workflows as workflow', (join) =>
      join
        .onRef('workflow.organization_id', '=', 'cursor.organization_id')
        .onRef('workflow.id', '=', 'cursor.workflow_id'),
    )
    .selectAll('cursor')
    .select('workflow.owner_id')
    .select(['trigger.config', 'trigger.version_id as active_version_id'])
    .where('cursor.organization_id', '=', organizationId)
    .orderBy('cursor.trigger_id')
    .execute();
  return rows.map((row) => ({
    organizationId,
    workflowId: row.workflow_id,
    ownerId: row.owner_id,
    triggerId: row.trigger_id,
    versionId: row.active_version_id,
    config: row.config!,
    since: row.since,
    version: row.version,
    plan:
      row.run_id === null
        ? undefined
        : { runId: row.run_id, to: row.run_to!, versionId: row.run_version_id! },
  }));
}

/**
 * Records which run is to be started for everything up to a version; false if the cursor has changed
 * meanwhile.
 */
export async function planRun(
  db: OrganizationTransaction,
  cursor: Cursor,
  { runId, to, versionId }: NonNullable<Cursor['plan']>,
): Promise<boolean> {
  const planned = await update(db, cursor)
    .set({ run_id: runId, run_to: to, run_version_id: versionId })
    .executeTakeFirst();
  return planned.numUpdatedRows > 0n;
}

/** Moves a cursor and clears its plan, if neither has changed meanwhile. */
export async function moveCursor(
  db: OrganizationTransaction,
  cursor: Cursor,
  version: number,
): Promise<void> {
  await update(db, cursor).set({ version, run_id: null, run_to: null, run_version_id: null }).execute();
}

const update = (db: OrganizationTransaction, { organizationId, triggerId, version, plan, since }: Cursor) =>
  db
    .updateTable('workflow_event_cursors')
    .where('organization_id', '=', organizationId)
    .where('trigger_id', '=', triggerId)
    // If it was paused and activated since, it is a different cursor.
    .where('since', '=', since)
    .where('version', 'is not distinct from', version)
    .where('run_id', 'is not distinct from', plan?.runId ?? null);
