import { AppError, notFound } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { findStatistics, type TableStatistics } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { findPhysicalTable, type LakeColumn, type PhysicalTable } from '../tables/columns.ts';
import { getTable, type TableKind, type TableRow } from '../tables/registry.ts';
import { snapshotShowing } from '../tables/versions.ts';

export interface ContentDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool' | 'locks'>;
}

/** What a table holds at its current version, and the snapshot that shows it. */
export interface Content {
  name: string;
  version: number;
  snapshotId: number;
  rowCount: number;
  columns: LakeColumn[];
}

/** Kinds of tables whose rows are in the lake. */
const profiled: readonly TableKind[] = ['data', 'import', 'snapshot', 'calc', 'iceberg'];

/** Refuses what has no profile: a system table has no rows in the lake. */
export function refuseUnlessProfiled({ kind }: Pick<TableRow, 'kind'>): void {
  if (!profiled.includes(kind)) throw notFound('The table');
}

/** Whether the table holds anything to profile; a calculated table may have never been built. */
export async function findContent(
  { catalogPool }: Pick<LakeDeps, 'catalogPool'>,
  schema: string,
  { id, name }: Pick<TableRow, 'id' | 'name'>,
): Promise<{ physical: PhysicalTable; statistics: TableStatistics } | undefined> {
  const physical = await findPhysicalTable(catalogPool, schema, name);
  const statistics = await findStatistics(catalogPool, schema, id);
  return physical === undefined || statistics === undefined ? undefined : { physical, statistics };
}

/**
 * Reads the current version with its columns, under the table's lock, so that they belong together.
 *
 * @throws AppError not_found, not_materialized
 */
export function readContent(
  { db, lake: lakes }: ContentDeps,
  lake: Lake,
  { organizationId, tableId }: { organizationId: string; tableId: string },
): Promise<Content> {
  return lakes.locks.hold(tableId, async () => {
    const table = await inOrganization(db, organizationId, (transaction) =>
      getTable(transaction, organizationId, tableId),
    );
    refuseUnlessProfiled(table);
    const content = await findContent(lakes, lake.schema, table);
    if (content === undefined) throw neverBuilt(table);
    const { version, rowCount } = content.statistics;
    const snapshotId = await snapshotShowing(lakes.catalogPool, lake.schema, tableId, version);
    return { name: content.physical.name, version, snapshotId, rowCount, columns: content.physical.columns };
  });
}

export function neverBuilt({ name }: Pick<TableRow, 'name'>): AppError {
  return new AppError('not_materialized', `The table ${name} has never been built. Materialize it first.`);
}
