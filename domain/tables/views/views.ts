import { notFound } from '../../../data/errors.ts';
import { isId } from '../../../data/ids.ts';
import { unrestricted } from '../../../data/postgres/acting.ts';
import {
  inOrganization,
  isUniqueViolation,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { checkDefinition, writeReads } from '../definition-analyses/analyses.ts';
import { createDefined } from '../definition-analyses/create.ts';
import type { DefinitionDeps } from '../definition-analyses/deps.ts';
import { followRelation, rewrite } from '../definition-analyses/renames.ts';
import {
  type Defined,
  type Definition,
  getDefinition,
  listDefined,
  lockDefinitions,
  updateDefinition,
} from '../derived-relations/definitions.ts';
import { loadGraph, refuseWhileRead } from '../derived-relations/graph.ts';
import { changedMeanwhile, refuseOtherRevision, revisionOf } from '../derived-relations/revisions.ts';
import { findRelation, nameTaken, type TableRow } from '../tables/registry.ts';

/** A view: its row among the tables, and its SELECT. */
export interface View {
  row: TableRow;
  definition: Definition;
}

export async function getView(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<View> {
  const row = isId('viw', id) ? await findRelation(db, organizationId, id) : undefined;
  if (row?.kind !== 'view') throw notFound('The view');
  return { row, definition: await getDefinition(db, organizationId, id) };
}

/** Every view of the organization, by id. */
export async function listViews(db: OrganizationTransaction, organizationId: string): Promise<View[]> {
  const rows = await db
    .selectFrom('tables')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'view')
    .where('status', '=', 'ready')
    .orderBy('id')
    .execute();
  const definitions = await db
    .selectFrom('definitions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ['', ...rows.map(({ id }) => id)])
    .execute();
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  return rows.flatMap((row) => {
    const definition = byId.get(row.id);
    return definition === undefined ? [] : [{ row, definition }];
  });
}

export interface NewView {
  organizationId: string;
  id: string;
  name: string;
  query: string;
  description: string;
  projectId: string | null;
  definerId: string;
}

/** @throws ValidationError at the query, name_taken */
export function createView(deps: DefinitionDeps, { description, ...view }: NewView): Promise<View> {
  return createDefined(deps, { ...view, kind: 'view', table: { description } }, getView);
}

export interface ViewChange {
  organizationId: string;
  id: string;
  /** Who changes it: a new query reads with the rights of this person or client. */
  callerId: string;
  name?: string | undefined;
  query?: string | undefined;
  description?: string | undefined;
  expectedRevision?: number | undefined;
}

/**
 * Changes a view. A new name follows in the queries that name it, in the same transaction.
 *
 * @throws revision_conflict, name_taken, ValidationError at the query
 */
export async function changeView(deps: DefinitionDeps, change: ViewChange): Promise<View> {
  const { organizationId, id, callerId, query } = change;
  const before = await inOrganization(deps.db, organizationId, (db) => getView(db, organizationId, id));
  refuseOtherRevision(before.definition, change.expectedRevision);
  const checked =
    query === undefined || query === before.definition.query
      ? undefined
      : await checkDefinition(deps, { organizationId, definerId: callerId, query, kind: 'view' });
  const isRenamed = change.name !== undefined && change.name !== before.row.name;
  const followed = isRenamed ? await queriesAfterRename(deps, before, change.name!) : undefined;
  await inOrganization(deps.db, organizationId, async (db) => {
    await lockDefinitions(db, organizationId);
    const { row, definition } = await getView(db, organizationId, id);
    if (revisionOf(definition) !== revisionOf(before.definition)) throw changedMeanwhile(definition);
    if (followed !== undefined) await writeFollowed(db, organizationId, followed);
    const name = change.name ?? row.name;
    await renameRow(db, row, { name, description: change.description ?? row.description });
    await updateDefinition(db, organizationId, id, {
      ...(checked === undefined
        ? { other_changes: definition.other_changes + 1 }
        : {
            query: checked.query,
            revision: definition.revision + 1,
            defined_by: callerId,
            analysis: JSON.stringify(checked.stored),
          }),
    });
    if (checked !== undefined) await writeReads(db, organizationId, { id, name }, checked);
  });
  return inOrganization(deps.db, organizationId, (db) => getView(db, organizationId, id));
}

async function renameRow(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: TableRow,
  change: { name: string; description: string },
): Promise<void> {
  try {
    await db
      .updateTable('tables')
      .set({ ...change, updated_at: new Date() })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute();
  } catch (error) {
    if (isUniqueViolation(error, 'tables_name')) throw nameTaken(change.name);
    throw error;
  }
}

interface Followed {
  dependents: readonly Defined[];
  queries: ReadonlyMap<string, string>;
}

async function queriesAfterRename(deps: DefinitionDeps, { row }: View, to: string): Promise<Followed> {
  const { organization_id: organizationId, id: relationId, name } = row;
  const dependents = await inOrganization(deps.db, organizationId, async (db) => {
    const graph = await loadGraph(db, organizationId);
    return unrestricted(db, () => listDefined(db, organizationId, { ids: graph.readBy(relationId) }));
  });
  return {
    dependents,
    queries: await followRelation(deps, organizationId, dependents, { relationId, name, to }),
  };
}

async function writeFollowed(
  db: OrganizationTransaction,
  organizationId: string,
  { dependents, queries }: Followed,
): Promise<void> {
  const ids = dependents.map(({ id }) => id);
  const now = await unrestricted(db, () => listDefined(db, organizationId, { ids, lock: 'update' }));
  for (const dependent of now) {
    const seen = dependents.find(({ id }) => id === dependent.id);
    if (seen?.revision !== dependent.revision) throw changedMeanwhile(dependent);
    const query = queries.get(dependent.id);
    if (query !== undefined) await unrestricted(db, () => rewrite(db, dependent, query));
  }
}

/** Deletes a view that nothing reads. */
export async function dropView(
  { db }: Pick<DefinitionDeps, 'db'>,
  organizationId: string,
  id: string,
): Promise<void> {
  await inOrganization(db, organizationId, async (transaction) => {
    await lockDefinitions(transaction, organizationId);
    await getView(transaction, organizationId, id);
    await refuseWhileRead(transaction, organizationId, id);
    await transaction
      .deleteFrom('tables')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .execute();
  });
}
