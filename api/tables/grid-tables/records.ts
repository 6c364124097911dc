import type { z } from 'zod';
import { inOrganization } from '../../../data/postgres/client.ts';
import { calculationStates } from '../../../domain/tables/calculated-tables/status.ts';
import { currentDefinitions } from '../../../domain/tables/definition-analyses/analyses.ts';
import { revisionOf } from '../../../domain/tables/derived-relations/revisions.ts';
import { decidedType, findPhysicalTable } from '../../../domain/tables/tables/columns.ts';
import { getTable, type TableRow } from '../../../domain/tables/tables/registry.ts';
import type { ApiDeps } from '../../deps.ts';
import type { gridTableSchema } from './schemas.ts';

type GridTable = z.input<typeof gridTableSchema>;

/** A table as the grid shows it, as it is now. */
export async function gridTable(
  deps: ApiDeps,
  { organization_id: organizationId, id }: Pick<TableRow, 'organization_id' | 'id'>,
): Promise<GridTable> {
  const table = await inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, id));
  const lake = await deps.lake.catalog.get(organizationId);
  const physical = await findPhysicalTable(deps.lake.catalogPool, lake.schema, table.name);
  const base = {
    tableId: table.id,
    name: table.name,
    kind: table.kind as GridTable['kind'],
    columns: (physical?.columns ?? []).map((column) => ({
      name: column.name,
      dataType: decidedType(column),
      nullable: column.nullable,
    })),
    keyColumns: table.key_columns,
    keyEnforced: table.key_enforced,
    projectId: table.project_id,
    createdAt: table.created_at.toISOString(),
    updatedAt: table.updated_at.toISOString(),
  };
  if (table.kind !== 'calc') {
    const none = { query: null, refresh: null, definedByUserId: table.owner_user_id, revision: 1 };
    return { ...base, ...none, status: 'fresh' };
  }
  const { defined, analyzed } = await currentDefinitions(deps, organizationId, [id]);
  const state = (await calculationStates(deps, organizationId, [id])).get(id)!;
  const definition = defined.get(id)!;
  const found = analyzed.get(id);
  const planned = found === undefined || 'failure' in found ? [] : found.columns;
  return {
    ...base,
    // Those that it has, or until then those that it will have.
    columns: physical === undefined ? planned.map((column) => ({ ...column, nullable: true })) : base.columns,
    status: state.status,
    query: definition.query,
    refresh: {
      mode: definition.refresh_mode,
      minIntervalSeconds: definition.min_interval_seconds,
      min_interval_seconds: definition.min_interval_seconds,
    },
    definedByUserId: definition.defined_by,
    revision: revisionOf(definition),
  };
}
