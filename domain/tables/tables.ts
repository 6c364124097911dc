import type { Insertable, Selectable, Updateable } from 'kysely';
import { AppError, notFound } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../data/postgres/client.ts';
import type { Tables } from '../../data/postgres/schema.gen.ts';

export type TableRow = Selectable<Tables>;
export type TableKind = 'data' | 'calc' | 'import' | 'snapshot' | 'system';
export type TableStatus = 'creating' | 'ready' | 'deleting';

/**
 * A table's life: its name is reserved while the lake makes it, and still reserved while the lake drops it,
 * so that one name never means two tables. Rows leave the registry from `creating` (it failed) or `deleting`.
 */
export const tableTransitions: Record<TableStatus, readonly TableStatus[]> = {
  creating: ['ready'],
  ready: ['deleting'],
  deleting: [],
};

export async function listTables(
  db: OrganizationTransaction,
  organizationId: string,
  options: { projectId?: string } = {},
): Promise<TableRow[]> {
  let query = db
    .selectFrom('tables')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'ready');
  if (options.projectId !== undefined) query = query.where('project_id', '=', options.projectId);
  return query.orderBy('id').execute();
}

/** A table as statements name it. */
export type NamedTable = Pick<TableRow, 'id' | 'name'>;

/** The tables that a statement may name: nothing of them but what that takes, since every statement asks. */
export async function listQueryable(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<NamedTable[]> {
  return db
    .selectFrom('tables')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'ready')
    .where('kind', '<>', 'system')
    .orderBy('id')
    .execute();
}

export async function findTable(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<TableRow | undefined> {
  if (!isId('tbl', id)) return undefined;
  return db
    .selectFrom('tables')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The same, held for the transaction: whoever deletes or replaces a table meets the other here. */
export async function lockTable(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<TableRow> {
  const row = isId('tbl', id)
    ? await db
        .selectFrom('tables')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('status', '=', 'ready')
        .forUpdate()
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw notFound('The table');
  return row;
}

/** The table as users know it: neither half made nor half gone. */
export async function getTable(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<TableRow> {
  const table = await findTable(db, organizationId, id);
  if (table === undefined || table.status !== 'ready') throw notFound('The table');
  return table;
}

export async function findTableByName(
  db: OrganizationTransaction,
  organizationId: string,
  name: string,
): Promise<TableRow | undefined> {
  return db
    .selectFrom('tables')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where((where) =>
      where(where.fn<string>('lower', ['name']), '=', where.fn<string>('lower', [where.val(name)])),
    )
    .executeTakeFirst();
}

/** The table that keeps the records which did not fit this one. */
export async function findQuarantineTable(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<TableRow | undefined> {
  return db
    .selectFrom('tables')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('quarantine_of', '=', tableId)
    .executeTakeFirst();
}

/**
 * Reserves a name for a table that is about to be made. The same id again finds the first reservation; another
 * table's name is refused.
 */
export async function reserveTable(
  db: OrganizationTransaction,
  table: Omit<Insertable<Tables>, 'status'>,
): Promise<TableRow> {
  const earlier = await findTable(db, table.organization_id, table.id);
  if (earlier !== undefined) return earlier;
  try {
    return await db
      .insertInto('tables')
      .values({ ...table, status: 'creating' })
      .returningAll()
      .executeTakeFirstOrThrow();
  } catch (error) {
    if (isUniqueViolation(error, 'tables_name')) throw nameTaken(table.name);
    throw error;
  }
}

export function nameTaken(name: string): AppError {
  return new AppError(
    'name_taken',
    `A table or view named ${JSON.stringify(name)} exists already; names ignore case.`,
  );
}

/** Moves a table's status by compare-and-set; false when it is not where it should be. */
export async function moveTable(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  from: TableStatus,
  to: TableStatus,
): Promise<boolean> {
  if (!tableTransitions[from].includes(to)) throw new Error(`A table cannot go from ${from} to ${to}.`);
  const moved = await db
    .updateTable('tables')
    .set({ status: to, updated_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

/** Forgets a table that was never made or is dropped; its name is free again. */
export async function forgetTable(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  status: 'creating' | 'deleting',
): Promise<void> {
  await db
    .deleteFrom('tables')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', status)
    .execute();
}

export async function updateTableRow(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  change: Updateable<Tables>,
): Promise<TableRow> {
  await db
    .updateTable('tables')
    .set({ ...change, updated_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  return getTable(db, organizationId, id);
}

/** Says that somebody still works on a table between two states. */
export async function touchTable(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<void> {
  await db
    .updateTable('tables')
    .set({ updated_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'creating')
    .execute();
}
