import { AppError, notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { findRelation, isInLake, type TableKind, type TableRow } from '../tables/registry.ts';

/** An entry, with the current name of its table or view. */
export type CatalogEntry = RecordOf<'catalog_entries'> & { name: string; kind: TableKind };

const entries = records('catalog_entries', { prefix: 'cae', what: 'The catalog entry' });

/** Entries of existing tables and views, newest first. */
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

/** Maximum number of tables and views shown to the analyst: the first ones attached. */
const maxShown = 200;

/** A table or view that a project's analyst can see. */
export interface AttachedTable {
  id: string;
  name: string;
  kind: TableKind;
  /** A calculated table without content. */
  isUnbuilt: boolean;
  description: string;
  note: string;
}

/** The tables and views that a project's analyst can see, by name. */
export async function attachedTables(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<AttachedTable[]> {
  const rows = await shown(db, organizationId, projectId)
    .leftJoin('definitions', (join) =>
      join
        .onRef('definitions.organization_id', '=', 'tables.organization_id')
        .onRef('definitions.id', '=', 'tables.id'),
    )
    .select(['tables.description', 'definitions.built'])
    .orderBy('catalog_entries.id')
    .limit(maxShown)
    .execute();
  const tables = rows.map(({ table_id: id, name, kind, built, description, note }) => {
    const isUnbuilt = kind === 'calc' && built === null;
    return { id, name, kind, isUnbuilt, description, note };
  });
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
    .select(['tables.name', 'tables.kind'])
    .where('catalog_entries.organization_id', '=', organizationId)
    .where('catalog_entries.project_id', '=', projectId)
    .where('tables.status', '=', 'ready');
}

export interface NewCatalogEntry {
  organizationId: string;
  projectId: string;
  id: string;
  /** Of a table or view. */
  relationId: string;
  note: string;
  createdBy: string;
}

/** Attaches a table or view, or returns the entry if it is already attached. */
export async function attachTable(
  db: OrganizationTransaction,
  { organizationId, projectId, id, relationId, note, createdBy }: NewCatalogEntry,
): Promise<{ entry: CatalogEntry; isNew: boolean }> {
  await getOpenProject(db, organizationId, projectId);
  attachable(await findRelation(db, organizationId, relationId));
  const added = await db
    .insertInto('catalog_entries')
    .values({
      organization_id: organizationId,
      id,
      project_id: projectId,
      table_id: relationId,
      note,
      created_by: createdBy,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  const entry = await shown(db, organizationId, projectId)
    .where('catalog_entries.table_id', '=', relationId)
    .executeTakeFirstOrThrow();
  // A retry of the request that created it, whose answer was lost, gets the same answer.
  return { entry, isNew: added !== undefined || entry.id === id };
}

function attachable(table: TableRow | undefined): void {
  if (table?.status !== 'ready') throw notFound('The table or view');
  if (isInLake(table)) return;
  throw new AppError(
    'conflict',
    `The system table ${table.name} cannot be attached, because queries cannot read it.`,
  );
}

/** Removes an entry; what it attached stays. Returns the entry as it was. */
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
