import type { Logger } from 'pino';
import type { LakeDeps } from '../data/lake/commit.ts';
import type { LakeEngine } from '../data/lake/engine/contract.ts';
import type { ObjectStore } from '../data/objects/store.ts';
import type { Database } from '../data/postgres/client.ts';
import type { FileReader } from '../domain/file-imports/reader.ts';
import type { PageWriter } from '../domain/ingestion/page-writer.ts';

/** Everything an activity may use, made once in the worker's main.ts. */
export interface ActivityDeps {
  db: Database;
  objects: ObjectStore;
  lake: LakeDeps;
  /** Engine processes for long work that holds no table's lock. */
  staging: LakeEngine;
  files: FileReader;
  pages: PageWriter;
  logger: Logger;
}
