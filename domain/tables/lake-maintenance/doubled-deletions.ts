import type { LakeDeps } from '../../../data/lake/commit.ts';
import {
  mayHaveDoubledDeletions,
  tablesWithInlinedDeletions,
} from '../../../data/lake/ducklake/doubled-deletions.ts';

const tablesAtOnce = 1_000;

/**
 * Organizations with a table that may have deletions both in a file and in the catalog, page by page over all
 * lakes. Each call returns the next page; after the last one, calls return nothing, because no new ones arise
 * and a flush repairs the old ones.
 */
export function doubledLakes(deps: Pick<LakeDeps, 'catalogPool'>): () => Promise<string[]> {
  let after: { schemaName: string; name: string } | undefined = { schemaName: '', name: '' };
  return async () => {
    if (after === undefined) return [];
    const tables = await tablesWithInlinedDeletions(deps.catalogPool, after, tablesAtOnce);
    const found = new Set<string>();
    for (const table of tables) {
      if (!found.has(table.organizationId) && (await mayHaveDoubledDeletions(deps.catalogPool, table)))
        found.add(table.organizationId);
    }
    after = tables.length === tablesAtOnce ? tables.at(-1) : undefined;
    return [...found];
  };
}
