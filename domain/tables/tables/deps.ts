import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { Database } from '../../../data/postgres/client.ts';

/** Dependencies of code that changes a table in the registry and in the lake. */
export interface TableDeps {
  db: Database;
  lake: LakeDeps;
}
