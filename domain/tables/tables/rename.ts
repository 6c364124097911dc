import { findOperations } from '../../../data/lake/ledger.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { announceToDefinitions } from '../derived-relations/pending-renames.ts';
import { renameSyncKey } from './dependents.ts';
import type { TableDeps } from './deps.ts';
import { findTable, lockTable, type TableRow, updateTableRow } from './registry.ts';

/** A pending rename of a column. Its operation is in the ledger exactly when the lake has the new name. */
export interface PendingRename {
  operationId: string;
  from: string;
  to: string;
}

/** Records a rename before it happens, for recovery after a crash. The caller holds the table's lock. */
export async function announceRename(
  { db }: Pick<TableDeps, 'db'>,
  { organization_id: organizationId, id }: TableRow,
  rename: PendingRename,
): Promise<void> {
  await inOrganization(db, organizationId, (transaction) =>
    updateTableRow(transaction, organizationId, id, { pending_rename: JSON.stringify(rename) }),
  );
}

/**
 * Settles a recorded rename: if it happened in the lake, the registry's keys and notes follow it. The caller
 * holds the table's lock.
 */
export async function resolveRename(deps: TableDeps, organizationId: string, id: string): Promise<void> {
  const table = await inOrganization(deps.db, organizationId, (db) => findTable(db, organizationId, id));
  const rename = table?.pending_rename as PendingRename | null | undefined;
  if (rename === null || rename === undefined) return;
  const lake = await deps.lake.catalog.get(organizationId);
  const { operationId } = rename;
  const happened = await findOperations(deps.lake.catalogPool, lake.schema, [operationId]);
  await inOrganization(deps.db, organizationId, async (db) => {
    if (happened.has(operationId)) await followRename(db, organizationId, id, rename);
    await updateTableRow(db, organizationId, id, { pending_rename: null });
  });
}

async function followRename(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  { from, to }: PendingRename,
): Promise<void> {
  const table = await lockTable(db, organizationId, id);
  const { [from]: note, ...rest } = table.column_notes as Record<string, unknown>;
  await updateTableRow(db, organizationId, id, {
    key_columns: table.key_columns.map((key) => (key === from ? to : key)),
    column_notes: JSON.stringify(note === undefined ? rest : { ...rest, [to]: note }),
  });
  await renameSyncKey(db, organizationId, id, from, to);
  await announceToDefinitions(db, organizationId, id, { from, to });
}

/** Deletes a dropped column's note, so that a new column of that name does not get it. */
export async function forgetColumnNote(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  column: string,
): Promise<void> {
  const table = await lockTable(db, organizationId, id);
  const { [column]: note, ...rest } = table.column_notes as Record<string, unknown>;
  if (note !== undefined)
    await updateTableRow(db, organizationId, id, { column_notes: JSON.stringify(rest) });
}
