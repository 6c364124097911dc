import type { LakeDeps } from '../../../data/lake/commit.ts';
import { type TableStatistics, tableStatistics } from '../../../data/lake/ledger.ts';
import { type PhysicalTable, physicalTables } from './columns.ts';
import type { NamedTable } from './registry.ts';

/** What the ledger and the lake's catalog know of tables. */
export interface StoredFacts {
  /** By id. */
  statistics: Map<string, TableStatistics>;
  /** By lower-case name. */
  physical: Map<string, PhysicalTable>;
}

/** Two queries, for any number of tables. */
export async function storedFacts(
  { catalog, catalogPool }: Pick<LakeDeps, 'catalog' | 'catalogPool'>,
  organizationId: string,
  tables: readonly NamedTable[],
): Promise<StoredFacts> {
  const { schema } = await catalog.get(organizationId);
  const ids = tables.map(({ id }) => id);
  const names = tables.map(({ name }) => name);
  const [statistics, physical] = await Promise.all([
    tableStatistics(catalogPool, schema, ids),
    physicalTables(catalogPool, schema, names),
  ]);
  return { statistics, physical };
}
