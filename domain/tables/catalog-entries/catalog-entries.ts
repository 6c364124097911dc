import { AppError, notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { getTable, type TableRow } from '../tables/tables.ts';

/** An entry, with its table's current name. */
export type CatalogEntry = RecordOf<'catalog_entries'> & { name: string };

const entries = records('catalog_entries', { prefix: 'cae', what: 'The catalog entry' });

/** Entries of existing tables, newest first. */
export function listCatalogEntries(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  { after, limit }: Slice,
): Promise<CatalogEntry[]> {
  let query = shown(db, organizationId, projectId);
  if (after !== undefined) query = query.where('catalog_entries.id', '<', after);
  return query.orderBy('catalog_entries.id', 'desc').limit(limit).execute();
}

/** Maximum number of tables shown to the analyst: the first ones attached. */
const maxShown = 200;

/** A table that a project's analyst can see. */
export interface AttachedTable {
  id: string;
  name: string;
  description: string;
  note: string;
}

/** The tables that a project's analyst can see, by name. */
export async function attachedTables(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<AttachedTable[]> {
  const rows = await shown(db, organizationId, projectId)
    .select('tables.description')
    .orderBy('catalog_entries.id')
    .limit(maxShown)
    .execute();
  const tables = rows.map(({ table_id: id, name, description, note }) => ({ id, name, description, note }));
  return tables.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function getCatalogEntry(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
): Promise<CatalogEntry> {
  const entry = await shown(db, organizationId, projectId)
    .where('catalog_entries.id', '=', id)
    .executeTakeFirst();
  if (entry === undefined) throw notFound('The catalog entry');
  return entry;
}

function shown(db: OrganizationTransaction, organizationId: string, projectId: string) {
  return db
    .selectFrom('catalog_entries')
    .innerJoin('tables', (join) =>
      join
        .onRef('tables.organization_id', '=', 'catalog_entries.organization_id')
        .onRef('tables.id', '=', 'catalog_entries.table_id'),
    )
    .selectAll('catalog_entries')
    .select('tables.name')
    .where('catalog_entries.organization_id', '=', organizationId)
    .where('catalog_entries.project_id', '=', projectId)
    .where('tables.status', '=', 'ready');
}

export interface NewCatalogEntry {
  organizationId: string;
  projectId: string;
  id: string;
  tableId: string;
  note: string;
  createdBy: string;
}

/** Attaches a table, or returns the entry if it is already attached. */
export async function attachTable(
  db: OrganizationTransaction,
  { organizationId, projectId, id, tableId, note, createdBy }: NewCatalogEntry,
): Promise<{ entry: CatalogEntry; isNew: boolean }> {
  await getOpenProject(db, organizationId, projectId);
  attachable(await getTable(db, organizationId, tableId));
  const added = await db
    .insertInto('catalog_entries')
    .values({
      organization_id: organizationId,
      id,
      project_id: projectId,
      table_id: tableId,
      note,
      created_by: createdBy,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  const entry = await shown(db, organizationId, projectId)
    .where('catalog_entries.table_id', '=', tableId)
    .executeTakeFirstOrThrow();
  // A retry of the request that created it, whose answer was lost, gets the same answer.
  return { entry, isNew: added !== undefined || entry.id === id };
}

function attachable(table: TableRow): void {
  if (table.kind !== 'system') return;
  throw new AppError('conflict', `The system table ${table.name} cannot be attached: it cannot be queried.`);
}

/** Detaches an entry's table; returns the entry as it was. */
export async function detachEntry(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
): Promise<CatalogEntry> {
  const entry = await getCatalogEntry(db, organizationId, projectId, id);
  await entries.remove(db, organizationId, id);
  return entry;
}
