import { AppError, notFound } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { findPhysicalTable, type PhysicalTable } from './columns.ts';
import { refuseUnlessWritable, type TableAccess } from './grants.ts';

export interface AppendableTable {
  physical: PhysicalTable;
  keyColumns: readonly string[];
  /** The key columns if they are enforced; otherwise none. */
  uniqueKeys: readonly string[];
  access: TableAccess;
  /** A rename is pending between lake and registry, so the keys may still have the old name. */
  isBeingRenamed: boolean;
}

/**
 * The table with this id as registry and lake currently have it; the caller holds its lock and writes rows.
 * `admit` refuses callers who can't write; by default, the current principal without the grant.
 *
 * @throws AppError not_found, or not_appendable where it is no data table
 */
export async function findAppendable(
  { catalogPool }: Pick<LakeDeps, 'catalogPool'>,
  lake: Lake,
  organizationId: string,
  tableId: string,
  admit: (access: TableAccess) => void = refuseUnlessWritable,
): Promise<AppendableTable> {
  const { rows } = await catalogPool.query<{
    name: string;
    kind: string;
    key_columns: string[];
    key_enforced: boolean;
    is_being_renamed: boolean;
    readers: string[] | null;
    writers: string[] | null;
  }>({
    name: 'appendable_table',
    text: `SELECT name, kind, key_columns, key_enforced, pending_rename IS NOT NULL AS is_being_renamed,
                  readers, writers FROM tables
           WHERE organization_id = $1 AND id = $2 AND status = 'ready'`,
    values: [organizationId, tableId],
  });
  const row = rows[0];
  if (row === undefined) throw notFound('The table');
  admit(row);
  if (row.kind !== 'data') throw notAppendable(row.kind);
  const physical = await findPhysicalTable(catalogPool, lake.schema, row.name);
  if (physical === undefined) throw notFound('The table');
  const keyColumns = row.key_columns;
  const uniqueKeys = row.key_enforced ? keyColumns : [];
  const { readers, writers } = row;
  const access = { readers, writers };
  return { physical, keyColumns, uniqueKeys, access, isBeingRenamed: row.is_being_renamed };
}

export function notAppendable(kind: string): AppError {
  return new AppError(
    'not_appendable',
    `You can't add rows to a table of the kind ${kind}. Create a table with POST /v1/grid/tables, kind=data.`,
  );
}
