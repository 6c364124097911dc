import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

// What other features keep about a table, as far as its own life and columns depend on it.

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

/** Whether a snapshot into the table is queued, copied or waits for somebody. */
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

/** Whether a batch is being applied to the table at this moment. */
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

/** A table's syncs follow a new name of a key column. */
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

/** Whose key the column is part of: the table's own, and those of syncs, as they are named to a user. */
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
