import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { findTablesOf, type TableRow } from '../../../tables/tables/registry.ts';
import { mayReadAll } from '../../../workspace/organizations/rights.ts';
import { mentions, statementsOf } from '../graphs/named-tables.ts';
import { replaceActiveTriggers } from './active-triggers.ts';
import { type Workflow, workflowStates } from './workflows.ts';

/** Pauses every active workflow of a project that is archived, or of an owner who is removed. */
export async function pauseWorkflowsOf(
  db: OrganizationTransaction,
  organizationId: string,
  whose: { projectId: string } | { ownerId: string },
): Promise<Workflow[]> {
  const [column, id] =
    'projectId' in whose
      ? (['project_id', whose.projectId] as const)
      : (['owner_id', whose.ownerId] as const);
  const paused = await db
    .updateTable('workflows')
    .set(({ eb }) => ({
      status: 'paused' as const,
      pause_reason: 'ownerId' in whose ? ('maker_removed' as const) : null,
      revision: eb('revision', '+', 1),
      updated_at: new Date(),
    }))
    .where('organization_id', '=', organizationId)
    .where(column, '=', id)
    .where('status', '=', 'active')
    .returningAll()
    .execute();
  for (const row of paused) await replaceActiveTriggers(db, row, undefined);
  return paused;
}

/**
 * Pauses the active workflows that read a table or one that has its grants, or are triggered by it, whose
 * owner may not read it any more. They would only fail; an administrator gives the grant back, or the owner
 * changes the workflow.
 */
export async function pauseWorkflowsWithoutGrant(
  db: OrganizationTransaction,
  { organization_id: organizationId, readers, ...table }: TableRow,
): Promise<Workflow[]> {
  if (readers === null) return [];
  const tables = [table, ...(await findTablesOf(db, organizationId, table.id))];
  const active = await db
    .selectFrom('workflows')
    .innerJoin('workflow_versions as version', (join) =>
      join
        .onRef('version.organization_id', '=', 'workflows.organization_id')
        .onRef('version.id', '=', 'workflows.active_version_id'),
    )
    .selectAll('workflows')
    .select(['version.graph as active_graph', 'version.triggers as active_triggers'])
    .where('workflows.organization_id', '=', organizationId)
    .where('workflows.status', '=', 'active')
    .where('workflows.owner_id', 'not in', readers.length === 0 ? [''] : readers)
    .execute();
  const paused: Workflow[] = [];
  for (const { active_graph: graph, active_triggers: triggers, ...row } of active) {
    const text = statementsOf(graph).join('\n');
    const isRead = tables.some(
      ({ id, name }) => mentions(text, name) || JSON.stringify(triggers).includes(id),
    );
    if (!isRead || (await mayReadAll(db, organizationId, row.owner_id))) continue;
    await replaceActiveTriggers(db, row, undefined);
    const change = {
      pause_reason: 'grant_lost' as const,
      revision: row.revision + 1,
      updated_at: new Date(),
    };
    const moved = await workflowStates.move(db, row, 'active', 'paused', change);
    if (moved !== undefined) paused.push(moved);
  }
  return paused;
}
