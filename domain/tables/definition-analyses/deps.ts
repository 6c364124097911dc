import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { QueryPool } from '../query/pool/pool.ts';

/** What it takes to look at definitions and at what they read. */
export interface DefinitionDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  queries: QueryPool;
}
