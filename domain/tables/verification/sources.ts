import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { allTestDefinitions, paramsOf, selectorOf, type TestDefinition } from './definitions.ts';
import type { OverlaySource, TestedTable, TestSource } from './effective-set.ts';
import { allOverlays, changedParams, type Overlay } from './overlays.ts';

/** Everything from which the tests of tables follow, as it is stored. */
export interface Sources {
  tables: TestedTable[];
  definitions: TestSource[];
  overlays: OverlaySource[];
}

export function testSourceOf(row: TestDefinition): TestSource {
  const selector = selectorOf(row);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    params: paramsOf(row),
    target: selector === undefined ? { tableId: row.table_id! } : { selector },
    severity: row.severity,
    blocking: row.blocking,
    enabled: row.enabled,
    keepRows: row.keep_rows,
    definedBy: row.defined_by,
  };
}

export function overlaySourceOf(row: Overlay): OverlaySource {
  return {
    id: row.id,
    definitionId: row.definition_id,
    projectId: row.project_id,
    tableId: row.table_id,
    enabled: row.enabled,
    severity: row.severity,
    blocking: row.blocking,
    params: changedParams(row),
    priority: row.priority,
    createdAtMs: row.created_at.getTime(),
  };
}

export async function loadSources(db: OrganizationTransaction, organizationId: string): Promise<Sources> {
  return {
    tables: await testableTables(db, organizationId),
    definitions: (await allTestDefinitions(db, organizationId)).map(testSourceOf),
    overlays: (await allOverlays(db, organizationId)).map(overlaySourceOf),
  };
}

/** Tables that tests may be of: neither views nor the service's own. */
export async function testableTables(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<TestedTable[]> {
  const rows = await db
    .selectFrom('tables')
    .select(['id', 'name', 'project_id', 'modeling_tier'])
    .where('organization_id', '=', organizationId)
    .where('status', '<>', 'deleting')
    .where('kind', 'not in', ['view', 'system'])
    .orderBy('id')
    .execute();
  const entries = await db
    .selectFrom('catalog_entries')
    .select(['project_id', 'table_id'])
    .where('organization_id', '=', organizationId)
    .execute();
  const attached = Map.groupBy(entries, ({ table_id: id }) => id);
  return rows.map(({ id, name, project_id: projectId, modeling_tier: modelingTier }) => {
    const projectIds = new Set((attached.get(id) ?? []).map((entry) => entry.project_id));
    if (projectId !== null) projectIds.add(projectId);
    return { id, name, projectIds: [...projectIds], modelingTier };
  });
}
