import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { findPhysicalTable, type PhysicalTable } from '../tables/columns.ts';

/** A table of one organization, as seen by maintenance. */
export interface MaintainedTable {
  organizationId: string;
  id: string;
  name: string;
}

/** The next ready table in order of ids; maintenance takes them one at a time. */
export async function nextTable(
  deps: LakeDeps,
  organizationId: string,
  after: string | null,
): Promise<MaintainedTable | undefined> {
  const { rows } = await deps.catalogPool.query<{ id: string; name: string }>(
    `SELECT id, name FROM tables
     WHERE organization_id = $1 AND status = 'ready' AND kind NOT IN ('system', 'view') AND ($2::text IS NULL OR id > $2)
     ORDER BY id LIMIT 1`,
    [organizationId, after],
  );
  const row = rows[0];
  return row === undefined ? undefined : { organizationId, ...row };
}

/**
 * Runs `work` under the table's lock, so that no other process writes the table meanwhile; undefined if the
 * table is gone. While its registry row exists, its name in the lake cannot mean another table.
 */
export function withTableLock<T>(
  deps: LakeDeps,
  lake: Lake,
  table: MaintainedTable,
  work: (physical: PhysicalTable) => Promise<T>,
): Promise<T | undefined> {
  return deps.locks.hold(table.id, async () => {
    const { rowCount } = await deps.catalogPool.query(
      `SELECT FROM tables WHERE organization_id = $1 AND id = $2 AND name = $3 AND status = 'ready'`,
      [table.organizationId, table.id, table.name],
    );
    if (rowCount === 0) return undefined;
    const physical = await findPhysicalTable(deps.catalogPool, lake.schema, table.name);
    return physical === undefined ? undefined : work(physical);
  });
}

/** True if writers held the table's lock for longer than maintenance waits; maintenance retries it later. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message.includes('due to statement timeout');
}
