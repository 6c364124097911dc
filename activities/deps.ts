import type { Logger } from 'pino';
import type { LakeDeps } from '../data/lake/commit.ts';
import type { ImportDeps } from '../data/lake/import/contract.ts';
import type { PageWriter } from '../data/lake/pages/write.ts';
import type { ObjectStore } from '../data/objects/store.ts';
import type { Database } from '../data/postgres/client.ts';

/** Everything an activity may use, made once in the worker's main.ts. */
export interface ActivityDeps {
  db: Database;
  objects: ObjectStore;
  lake: LakeDeps;
  imports: ImportDeps;
  pages: PageWriter;
  logger: Logger;
}
