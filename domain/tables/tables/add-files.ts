import { AppError } from '../../../data/errors.ts';
import { commitOperations, type LakeDeps } from '../../../data/lake/commit.ts';
import { addDataFile } from '../../../data/lake/ducklake/procedures.ts';
import { findOperations, findStatistics } from '../../../data/lake/ledger.ts';
import { type Replacement, requireTable } from './replace.ts';

export interface Addition extends Omit<Replacement, 'beside'> {
  /** The version of the table to which the files are added. */
  toVersion: number;
}

/**
 * Adds staged files to a table whose content nobody else changes, in one commit; the files are adopted, not
 * copied. The same operation again returns the version of its commit.
 *
 * @throws AppError conflict where the table has another version
 */
export async function addFiles(deps: LakeDeps, addition: Addition): Promise<number> {
  const { organizationId, tableId, tableName, operationId, staged, runId, committedBy } = addition;
  const lake = await deps.catalog.get(organizationId);
  return deps.locks.hold(tableId, async () => {
    const done = (await findOperations(deps.catalogPool, lake.schema, [operationId])).get(operationId);
    if (done !== undefined) return done.version;
    await requireTable(deps, organizationId, tableId);
    const version = (await findStatistics(deps.catalogPool, lake.schema, tableId))?.version;
    if (version !== addition.toVersion)
      throw new AppError(
        'conflict',
        'The table was changed while the service computed its new rows. Build it again.',
      );
    // The lake makes no snapshot of nothing.
    if (staged.rows === 0) return version;
    return commitOperations(deps, lake, async (connection) => {
      for (const { url } of staged.files) await addDataFile(connection, lake.schema, tableName, url);
      const rows = { rowsAdded: staged.rows, rowsRemoved: 0 };
      return [{ id: operationId, tableId, operation: 'append', ...rows, runId, committedBy }];
    });
  });
}
