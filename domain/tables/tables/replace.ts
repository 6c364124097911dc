import { notFound } from '../../../data/errors.ts';
import { commitOperations, type LakeDeps } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { findOperations, findStatistics, type LakeOperation } from '../../../data/lake/ledger.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { findPhysicalTable } from './columns.ts';
import { fillFromFiles, type StagedFiles } from './fill.ts';

interface Target {
  tableId: string;
  tableName: string;
  staged: StagedFiles;
}

export interface Replacement extends Target {
  organizationId: string;
  operationId: string;
  runId: string;
  committedBy: string;
  /** A second table created in the same commit, for the rows that did not fit. */
  beside: Target | undefined;
}

/**
 * Replaces a table's content with the staged files in one commit; the files are adopted, not copied. A reader
 * sees either the old table or the new one. The same operation again returns the version of its commit.
 */
export async function replaceWithFiles(deps: LakeDeps, replacement: Replacement): Promise<number> {
  const { organizationId, operationId, tableId } = replacement;
  const lake = await deps.catalog.get(organizationId);
  return deps.locks.hold(tableId, async () => {
    const done = (await findOperations(deps.catalogPool, lake.schema, [operationId])).get(operationId);
    if (done !== undefined) return done.version;
    await requireTable(deps, organizationId, tableId);
    const before = await findPhysicalTable(deps.catalogPool, lake.schema, replacement.tableName);
    const statistics = await findStatistics(deps.catalogPool, lake.schema, tableId);
    return commitOperations(deps, lake, async (connection) => {
      if (before !== undefined) await connection.run(`DROP TABLE ${identifier(before.name)}`);
      const operations = [
        await makeFrom(connection, lake.schema, replacement, replacement, operationId, before !== undefined),
      ];
      operations[0]!.rowsRemoved = statistics?.rowCount ?? 0;
      if (replacement.beside !== undefined) {
        operations.push(await makeTable(connection, lake.schema, replacement.beside, replacement));
      }
      return operations;
    });
  });
}

/** Creates the second table of a commit; its entry in the ledger. */
export function makeTable(
  connection: EngineConnection,
  catalogName: string,
  beside: Target,
  commit: Replacement,
): Promise<LakeOperation> {
  return makeFrom(connection, catalogName, beside, commit, `${commit.operationId}:beside`, false);
}

async function makeFrom(
  connection: EngineConnection,
  catalogName: string,
  target: Target,
  { runId, committedBy }: Replacement,
  operationId: string,
  replaces: boolean,
): Promise<LakeOperation> {
  await fillFromFiles(connection, catalogName, target.tableName, target.staged);
  return {
    id: operationId,
    tableId: target.tableId,
    operation: replaces ? 'replace' : 'create',
    rowsAdded: target.staged.rows,
    rowsRemoved: 0,
    runId,
    committedBy,
  };
}

/** Checks the registry under the table's lock, so that a table deleted meanwhile is not created again. */
export async function requireTable(deps: LakeDeps, organizationId: string, tableId: string): Promise<void> {
  const { rowCount } = await deps.catalogPool.query(
    `SELECT FROM tables WHERE organization_id = $1 AND id = $2 AND status IN ('creating', 'ready')`,
    [organizationId, tableId],
  );
  if (rowCount === 0) throw notFound('The table');
}
