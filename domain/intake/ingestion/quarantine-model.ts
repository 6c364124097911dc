import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import type { LakeOperation } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { TableRow } from '../../tables/tables/registry.ts';
import type { FileReader } from '../file-imports/reader.ts';
import type { IngestionBatch } from './ingestion-batches.ts';
import type { StageDeps } from './stage-page.ts';
import type { StagedPage } from './staged-pages.ts';

/** The table that keeps what did not fit another table. */
export type Quarantine = Pick<TableRow, 'id' | 'name' | 'status'>;

export interface ReplayDeps extends StageDeps {
  files: FileReader;
}

/** How records that do not fit a table are kept, and replayed once they fit. */
export interface QuarantineModel {
  /** Stages in the replay's batch what now fits, and completes the batch. Idempotent. */
  stage(deps: ReplayDeps, batch: IngestionBatch, signal: AbortSignal): Promise<void>;
  /** The table that the batch adds records to or removes them from; undefined if it does neither. */
  reserve(
    deps: { db: Database; lake: LakeDeps },
    lake: Lake,
    batch: IngestionBatch,
    table: TableRow,
    pages: readonly StagedPage[],
  ): Promise<Quarantine | undefined>;
  /** Adds and removes records, inside the transaction that applies the batch. */
  write(
    connection: EngineConnection,
    objects: ObjectStore,
    batch: IngestionBatch,
    quarantine: Quarantine,
    pages: readonly StagedPage[],
  ): Promise<LakeOperation>;
  /** The quarantine table's id, for a batch that is in the lake. */
  finalize(db: Database, batch: IngestionBatch): Promise<string | null>;
}
