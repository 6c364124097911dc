import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { type Definition, insertDefinition } from '../derived-relations/definitions.ts';
import { findRelation, insertTable } from '../tables/registry.ts';
import { checkDefinition, type DefinitionToCheck, writeReads } from './analyses.ts';
import type { DefinitionDeps } from './deps.ts';

export interface NewDefinition extends DefinitionToCheck {
  id: string;
  name: string;
  projectId: string | null;
  /** What its row has besides. */
  table?: { description: string };
  /** What its definition has besides. */
  definition?: Pick<Definition, 'refresh_mode' | 'min_interval_seconds'>;
}

/**
 * Creates a view or calculated table, whose query is checked with the rights of its definer: its row, its
 * query and what it reads, in one transaction. A repetition finds what is there. `get` reads it.
 *
 * @throws ValidationError at the query, name_taken
 */
export async function createDefined<Made>(
  deps: DefinitionDeps,
  { table, definition, ...made }: NewDefinition,
  get: (db: OrganizationTransaction, organizationId: string, id: string) => Promise<Made>,
): Promise<Made> {
  const { organizationId, id, name, query, kind, definerId, projectId } = made;
  const earlier = await inOrganization(deps.db, organizationId, async (db) =>
    (await findRelation(db, organizationId, id)) === undefined
      ? undefined
      : { made: await get(db, organizationId, id) },
  );
  if (earlier !== undefined) return earlier.made;
  const checked = await checkDefinition(deps, made);
  return inOrganization(deps.db, organizationId, async (db) => {
    if (projectId !== null) await getOpenProject(db, organizationId, projectId);
    await insertTable(db, {
      organization_id: organizationId,
      id,
      name,
      kind,
      status: 'ready',
      project_id: projectId,
      owner_user_id: definerId.startsWith('usr_') ? definerId : null,
      ...table,
    });
    await insertDefinition(db, {
      organization_id: organizationId,
      id,
      query,
      defined_by: definerId,
      analysis: JSON.stringify(checked.stored),
      ...definition,
    });
    await writeReads(db, organizationId, { id, name }, checked);
    return get(db, organizationId, id);
  });
}
