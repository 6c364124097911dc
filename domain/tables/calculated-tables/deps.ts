import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { QueryPool } from '../query/pool/pool.ts';

export interface BuildLimits {
  /** Longest time that the query of a build may take, in milliseconds. */
  timeoutMs: number;
  /** The most that a build may write to the object store, in bytes. */
  maxBytes: number;
}

export interface BuildDeps {
  db: Database;
  lake: LakeDeps;
  objects: ObjectStore;
  /** Checks definitions. */
  queries: QueryPool;
  /** Runs builds, in processes of their own. */
  builds: QueryPool;
  buildLimits: BuildLimits;
}
