import type { LakeDeps } from '../../../data/lake/commit.ts';
import { inlinedTablesFrom, isOfPresentSchema } from '../../../data/lake/ducklake/inlined.ts';

/**
 * A flush of so many rows holds its table for two or three seconds; of many more, for longer than writers
 * wait.
 */
const rowsWorthARun = 200_000;

/**
 * Organizations with a table that has so many rows in the catalog that they should not wait for the next run.
 * PostgreSQL's own estimate finds the candidates; what a flush would not move does not count.
 */
export async function fullLakes(
  deps: Pick<LakeDeps, 'catalogPool'>,
  rows = rowsWorthARun,
): Promise<string[]> {
  const full = new Set<string>();
  for (const { organizationId, schemaName, name } of await inlinedTablesFrom(deps.catalogPool, rows)) {
    if (!full.has(organizationId) && (await isOfPresentSchema(deps.catalogPool, schemaName, name)))
      full.add(organizationId);
  }
  return [...full];
}
