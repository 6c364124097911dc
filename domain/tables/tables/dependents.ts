import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

// Data of other features that a table's lifecycle and columns depend on.

/** Whether an import into the table is queued or running. */
export async function hasActiveImport(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('table_imports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a snapshot into the table is queued, running or waiting for a confirmation. */
export async function hasActiveSnapshot(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('snapshot_runs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where('status', 'in', ['queued', 'running', 'awaiting_confirmation'])
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the table is being built, or a run that brings it up to date is under way. */
export async function hasActiveBuild(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<boolean> {
  const of = (table: 'materializations' | 'builds') =>
    db
      .selectFrom(table)
      .select('table_id')
      .where('organization_id', '=', organizationId)
      .where('table_id', '=', tableId)
      .where('finished_at', 'is', null);
  return (await of('materializations').unionAll(of('builds')).executeTakeFirst()) !== undefined;
}

/** Whether a batch is currently being applied to the table. */
export async function hasApplyingBatch(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('ingestion_batches')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where('status', '=', 'applying')
    .executeTakeFirst();
  return row !== undefined;
}

/** Updates the table's syncs after a key column was renamed. */
export async function renameSyncKey(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
  from: string,
  to: string,
): Promise<void> {
  await db
    .updateTable('data_syncs')
    .set({ key_columns: sql<string[]>`array_replace(key_columns, ${from}, ${to})` })
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where(sql<boolean>`${from} = ANY(key_columns)`)
    .execute();
}

/** The keys that contain the column, as shown to a user: the table's own, and those of its syncs. */
export async function keyUsers(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
  column: string,
): Promise<string[]> {
  const table = await db
    .selectFrom('tables')
    .select('key_columns')
    .where('organization_id', '=', organizationId)
    .where('id', '=', tableId)
    .executeTakeFirst();
  const syncs = await db
    .selectFrom('data_syncs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where(sql<boolean>`${column} = ANY(key_columns)`)
    .orderBy('id')
    .limit(10)
    .execute();
  const own = table?.key_columns.includes(column) === true ? ['key_columns of the table'] : [];
  return [...own, ...syncs.map(({ id }) => `the data sync ${id}`)];
}
