import type { Insertable, Updateable } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';

export type TableRow = RecordOf<'tables'>;
export type TableKind = TableRow['kind'];

const tables = records('tables', { prefix: 'tbl', what: 'The table' });

export const { find: findTable } = tables;

const relations = records('tables', { prefix: undefined, what: 'The table or view' });

/** A table or view, whatever its state. */
export const { find: findRelation } = relations;

/** The key columns if the table enforces its key; otherwise none. */
export const uniqueKeysOf = (table: TableRow): string[] => (table.key_enforced ? table.key_columns : []);

/**
 * A table's states: its name is reserved while it is created in the lake, and stays reserved while it is
 * dropped, so that one name never means two tables. Rows are removed from the registry in `creating`
 * (creation failed) or `deleting`.
 */
export const tableStates = states(
  'tables',
  { creating: ['ready'], ready: ['deleting'], deleting: [] },
  () => ({ updated_at: new Date() }),
);

export async function listTables(
  db: OrganizationTransaction,
  organizationId: string,
  options: { projectId?: string } = {},
): Promise<TableRow[]> {
  let query = db
    .selectFrom('tables')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'ready')
    .where('kind', '<>', 'view')
    // Named by the results that they belong to.
    .where('failures_of', 'is', null);
  if (options.projectId !== undefined) query = query.where('project_id', '=', options.projectId);
  return query.orderBy('id').execute();
}

/** Whether the rows are in the lake: those of a table that every organization has from the start are not. */
export const isInLake = ({ kind, failures_of: failuresOf }: TableRow): boolean =>
  kind !== 'system' || failuresOf !== null;

/** A table as named in statements. */
export type NamedTable = Pick<TableRow, 'id' | 'name'>;

/** A table or view as named in statements. */
export interface NamedRelation extends NamedTable {
  kind: TableKind;
  /** A calculated table without content. */
  isUnbuilt: boolean;
}

/**
 * The tables and views that a statement may name. Selects only the necessary columns, because it runs for
 * every statement.
 */
export async function listQueryable(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<NamedRelation[]> {
  const rows = await db
    .selectFrom('tables')
    .leftJoin('definitions', (join) =>
      join
        .onRef('definitions.organization_id', '=', 'tables.organization_id')
        .onRef('definitions.id', '=', 'tables.id')
        .on('definitions.built', 'is', null),
    )
    .select(['tables.id', 'tables.name', 'tables.kind', 'definitions.id as unbuilt'])
    .where('tables.organization_id', '=', organizationId)
    .where('tables.status', '=', 'ready')
    .where((where) =>
      where.or([where('tables.kind', '<>', 'system'), where('tables.failures_of', 'is not', null)]),
    )
    .orderBy('tables.id')
    .execute();
  return rows.map(({ id, name, kind, unbuilt }) => ({ id, name, kind, isUnbuilt: unbuilt !== null }));
}

/** Those of these tables that are there, in this order. */
export async function readableTables(
  db: OrganizationTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('tables')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  const found = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => found.has(id));
}

/**
 * The same with a row lock for the transaction, which serialises it with deletion and replacement of the
 * table.
 */
export async function lockTable(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<TableRow> {
  const table = await tables.get(db, organizationId, id, 'update');
  if (table.status !== 'ready') throw notFound('The table');
  return table;
}

/** The table if users can see it, that is, neither being created nor being deleted. */
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

/** The table that holds the records that did not fit this one. */
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

/** Tables of rows that did not fit this one, or failed its tests: they have its grants. */
export function findTablesOf(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<TableRow[]> {
  return db
    .selectFrom('tables')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where((where) =>
      where.or([
        where('quarantine_of', '=', tableId),
        where('failures_of', '=', tableId),
        where('bad_rows_of', '=', tableId),
      ]),
    )
    .execute();
}

/** The table whose grants this one has, if it is not its own. */
export const grantedBy = ({
  quarantine_of: quarantineOf,
  failures_of: failuresOf,
  bad_rows_of: badRowsOf,
}: TableRow): string | null => quarantineOf ?? failuresOf ?? badRowsOf;

/**
 * Reserves a name for a table about to be created. The same id again returns the first reservation; a name of
 * another table is refused.
 */
export async function reserveTable(
  db: OrganizationTransaction,
  table: Omit<Insertable<DB['tables']>, 'status'>,
): Promise<TableRow> {
  const earlier = await findTable(db, table.organization_id, table.id);
  return earlier ?? insertTable(db, { ...table, status: 'creating' });
}

/** @throws AppError name_taken */
export async function insertTable(
  db: OrganizationTransaction,
  table: Insertable<DB['tables']>,
): Promise<TableRow> {
  try {
    return await db.insertInto('tables').values(table).returningAll().executeTakeFirstOrThrow();
  } catch (error) {
    if (isUniqueViolation(error, 'tables_name')) throw nameTaken(table.name);
    throw error;
  }
}

export function nameTaken(name: string): AppError {
  return new AppError(
    'name_taken',
    `A table or view named ${JSON.stringify(name)} already exists. Names ignore case.`,
  );
}

/** Deletes the row of a table that was never created or is dropped; its name is free again. */
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
  change: Updateable<DB['tables']>,
): Promise<TableRow> {
  return relations.update(db, organizationId, id, { ...change, updated_at: new Date() });
}

/** Records that work on a table in an intermediate state continues. */
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
