import { inOrganization } from '../../../data/postgres/client.ts';
import { checkDefinition, writeReads } from '../definition-analyses/analyses.ts';
import { createDefined } from '../definition-analyses/create.ts';
import type { DefinitionDeps } from '../definition-analyses/deps.ts';
import {
  type Definition,
  getDefinition,
  lockDefinitions,
  updateDefinition,
} from '../derived-relations/definitions.ts';
import { changedMeanwhile, refuseOtherRevision, revisionOf } from '../derived-relations/revisions.ts';
import { type TableRow, updateTableRow } from '../tables/registry.ts';
import { getCalculated } from './start.ts';

/** A calculated table: its row among the tables, and its SELECT. */
export interface CalculatedTable {
  row: TableRow;
  definition: Definition;
}

export interface Refresh {
  mode: Definition['refresh_mode'];
  /** At least this long between two builds that a change starts. */
  minIntervalSeconds: number;
}

export interface NewCalculatedTable {
  organizationId: string;
  id: string;
  name: string;
  query: string;
  refresh: Refresh;
  projectId: string | null;
  definerId: string;
}

/**
 * Creates a calculated table without content.
 *
 * @throws ValidationError at the query, name_taken
 */
export function createCalculatedTable(
  deps: DefinitionDeps,
  { refresh, ...table }: NewCalculatedTable,
): Promise<CalculatedTable> {
  const definition = { refresh_mode: refresh.mode, min_interval_seconds: refresh.minIntervalSeconds };
  return createDefined(deps, { ...table, kind: 'calc', definition }, async (db, organizationId, id) => ({
    row: await getCalculated(db, organizationId, id),
    definition: await getDefinition(db, organizationId, id),
  }));
}

export interface CalculatedTableChange {
  organizationId: string;
  id: string;
  /** Who changes it: a new query reads with the rights of this person or client. */
  callerId: string;
  query?: string | undefined;
  refresh?: Partial<Refresh> | undefined;
  expectedRevision?: number | undefined;
}

/**
 * Changes a calculated table. With a new query it is stale; what it holds stays readable until the next
 * build.
 *
 * @throws revision_conflict, ValidationError at the query
 */
export async function changeCalculatedTable(
  deps: DefinitionDeps,
  change: CalculatedTableChange,
): Promise<CalculatedTable> {
  const { organizationId, id, callerId, query, refresh } = change;
  const before = await inOrganization(deps.db, organizationId, async (db) => {
    await getCalculated(db, organizationId, id);
    return getDefinition(db, organizationId, id);
  });
  refuseOtherRevision(before, change.expectedRevision);
  const checked =
    query === undefined || query === before.query
      ? undefined
      : await checkDefinition(deps, { organizationId, definerId: callerId, query, kind: 'calc' });
  return inOrganization(deps.db, organizationId, async (db) => {
    await lockDefinitions(db, organizationId);
    await getCalculated(db, organizationId, id);
    const now = await getDefinition(db, organizationId, id, 'update');
    if (revisionOf(now) !== revisionOf(before)) throw changedMeanwhile(now);
    const definition = await updateDefinition(db, organizationId, id, {
      refresh_mode: refresh?.mode ?? now.refresh_mode,
      min_interval_seconds: refresh?.minIntervalSeconds ?? now.min_interval_seconds,
      ...(checked === undefined
        ? { other_changes: now.other_changes + 1 }
        : {
            query: checked.query,
            revision: now.revision + 1,
            defined_by: callerId,
            analysis: JSON.stringify(checked.stored),
          }),
    });
    const row = await updateTableRow(db, organizationId, id, {});
    if (checked !== undefined) await writeReads(db, organizationId, row, checked);
    return { row, definition };
  });
}
