import { sql } from 'kysely';
import { inOrganization } from '../../../data/postgres/client.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../../../data/reconciling/step.ts';
import type { TableDeps } from './deps.ts';
import { resolveTable } from './lifecycle.ts';
import { findTable } from './registry.ts';

/** Moves tables that a crash left between two states to the state the lake shows. */
export function tableSteps(deps: TableDeps): ReconcileStep[] {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id FROM unsettled_tables(interval '1 minute', ${itemsAtOnce})`.execute(deps.db);
    return rows.map((row) => ({ organizationId: row.organization_id, id: row.id }));
  };
  return [
    itemsStep('tables', find, async ({ organizationId, id }) => {
      const table = await inOrganization(deps.db, organizationId, (db) => findTable(db, organizationId, id));
      if (table !== undefined) await resolveTable(deps, table);
    }),
  ];
}
