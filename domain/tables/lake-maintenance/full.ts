import type { LakeDeps } from '../../../data/lake/commit.ts';
import { inlinedTablesFrom, isOfPresentSchema } from '../../../data/lake/ducklake/inlined.ts';

/**
 * A flush of this many rows locks its table for two or three seconds; one of many more, for longer than
 * writers wait.
 */
const rowsWorthARun = 200_000;

/**
 * Organizations with a table that has too many rows in the catalog to wait for the next run. Candidates come
 * from PostgreSQL's own estimate; rows that a flush would not move do not count.
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
