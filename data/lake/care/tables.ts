import { findPhysicalTable, type PhysicalTable } from '../columns.ts';
import type { LakeDeps } from '../commit.ts';
import type { EngineConnection } from '../engine/contract.ts';
import type { Lake } from '../provision.ts';

/** A table of one organization, as care goes through them. */
export interface CareTable {
  organizationId: string;
  id: string;
  name: string;
}

/** Ready tables in order of their ids; care takes them one at a time. */
export async function nextCareTable(
  deps: LakeDeps,
  organizationId: string,
  after: string | null,
): Promise<CareTable | undefined> {
  const { rows } = await deps.catalogPool.query<{ id: string; name: string }>(
    `SELECT id, name FROM tables
     WHERE organization_id = $1 AND status = 'ready' AND kind <> 'system' AND ($2::text IS NULL OR id > $2)
     ORDER BY id LIMIT 1`,
    [organizationId, after],
  );
  const row = rows[0];
  return row === undefined ? undefined : { organizationId, ...row };
}

/**
 * Runs `work` under the table's lock, so that nobody writes the table meanwhile; undefined where the table is
 * gone. While its registry row stands, its name in the lake can mean no other table.
 */
export function holdTable<T>(
  deps: LakeDeps,
  lake: Lake,
  table: CareTable,
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

/** Runs one of DuckLake's procedures; it is a commit of its own where it changes anything. */
export async function callProcedure<T>(
  deps: LakeDeps,
  lake: Lake,
  procedure: string,
  connection?: EngineConnection,
): Promise<T[]> {
  const call = (on: EngineConnection) => on.read(`CALL ${procedure}`);
  const { names, rows } = await (connection === undefined
    ? deps.engine.use(lake.writer, call)
    : call(connection));
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])) as T);
}

/** True where writers held the table for longer than care waits: it comes again later. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message.includes('due to statement timeout');
}
