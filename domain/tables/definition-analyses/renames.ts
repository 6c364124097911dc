import { actingAsService } from '../../../data/postgres/acting.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ColumnedRelation, Renamed, Renaming } from '../../../packages/sql-guard/index.ts';
import {
  analysisOf,
  builtOf,
  type Defined,
  listDefined,
  updateDefinition,
} from '../derived-relations/definitions.ts';
import {
  announceToDefinitions,
  forgetRenames,
  type PendingRename,
  pendingRenames,
} from '../derived-relations/pending-renames.ts';
import type { DefinitionDeps } from './deps.ts';

/** A circle cannot be, and a longer chain of views is followed when it is next looked at. */
const maxRounds = 32;

/**
 * Follows renamed columns in the definitions that read them. Where the text cannot be changed (a column of
 * USING, say) it stays as it is, and the definition is shown as broken.
 */
export function followPendingRenames(deps: DefinitionDeps, organizationId: string): Promise<void> {
  // Whoever happens to look may not see all of the definitions.
  return actingAsService(() => followAll(deps, organizationId));
}

async function followAll(deps: DefinitionDeps, organizationId: string): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const pending = await inOrganization(deps.db, organizationId, (db) => pendingRenames(db, organizationId));
    if (pending.length === 0) return;
    const byDefinition = Map.groupBy(pending, ({ definition_id: id }) => id);
    for (const [id, renames] of byDefinition) await followIn(deps, organizationId, id, renames);
  }
}

async function followIn(
  deps: DefinitionDeps,
  organizationId: string,
  id: string,
  renames: readonly PendingRename[],
): Promise<void> {
  const [one] = await inOrganization(deps.db, organizationId, (db) =>
    listDefined(db, organizationId, { ids: [id] }),
  );
  const stored = one === undefined ? undefined : analysisOf(one);
  let query = one?.query;
  let relations = stored?.relations ?? [];
  const columns: { from: string; to: string }[] = [];
  for (const rename of renames) {
    const renaming = { relationId: rename.relation_id, column: rename.from_name, to: rename.to_name };
    const renamed =
      query === undefined || stored === undefined
        ? undefined
        : await followIt(deps, organizationId, { query, relations }, renaming);
    if (renamed !== undefined) {
      query = renamed.query;
      columns.push(...renamed.columns);
    }
    relations = relations.map((relation) => withColumn(relation, renaming));
  }
  await inOrganization(deps.db, organizationId, async (db) => {
    const [now] = await listDefined(db, organizationId, { ids: [id], lock: 'update' });
    // Written anew meanwhile, by somebody who saw the new names.
    const isCurrent = now !== undefined && now.revision === one?.revision;
    if (!(await forgetRenames(db, organizationId, renames))) return;
    if (!isCurrent || query === undefined) return;
    await rewrite(db, now, query);
    if (now.kind === 'view')
      for (const column of columns) await announceToDefinitions(db, organizationId, id, column);
  });
}

async function followIt(
  { queries, lake }: DefinitionDeps,
  organizationId: string,
  definition: { query: string; relations: readonly ColumnedRelation[] },
  renaming: Renaming,
): Promise<Renamed> {
  const { reader: location } = await lake.catalog.get(organizationId);
  const task = { kind: 'rename', location, definition, renaming } as const;
  return (await queries.perform(task, { timeoutMs: 20_000 })).renamed;
}

/** A query that means the same as before: what was built from it is as current as it was. */
export async function rewrite(db: OrganizationTransaction, old: Defined, query: string): Promise<void> {
  if (query === old.query) {
    await updateDefinition(db, old.organization_id, old.id, { analysis: null });
    return;
  }
  const built = builtOf(old);
  const revision = old.revision + 1;
  const follows = built !== undefined && built.revision === old.revision;
  await updateDefinition(db, old.organization_id, old.id, {
    query,
    revision,
    analysis: null,
    ...(follows ? { built: JSON.stringify({ ...built, revision }) } : {}),
  });
}

function withColumn(relation: ColumnedRelation, { relationId, column, to }: Renaming): ColumnedRelation {
  if (relation.id !== relationId) return relation;
  const columns = relation.columns.map((each) =>
    each.name.toLowerCase() === column?.toLowerCase() ? { ...each, name: to } : each,
  );
  return { ...relation, columns };
}

/** How the definitions that name a view read after its renaming, for the transaction that renames it. */
export async function followRelation(
  deps: DefinitionDeps,
  organizationId: string,
  dependents: readonly Defined[],
  { relationId, name, to }: { relationId: string; name: string; to: string },
): Promise<Map<string, string>> {
  const queries = new Map<string, string>();
  for (const { id, query, ...one } of dependents) {
    const relations = analysisOf(one)?.relations ?? [{ id: relationId, name, columns: [] }];
    const renamed = await followIt(deps, organizationId, { query, relations }, { relationId, to });
    if (renamed !== undefined) queries.set(id, renamed.query);
  }
  return queries;
}
