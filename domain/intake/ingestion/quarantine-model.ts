import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import type { LakeOperation } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { TableRow } from '../../tables/tables/tables.ts';
import type { FileReader } from '../file-imports/reader.ts';
import type { IngestionBatch } from './ingestion-batches.ts';
import type { StageDeps } from './stage-page.ts';
import type { StagedPage } from './staged-pages.ts';

/** The table beside another one that keeps what did not fit it. */
export type Quarantine = Pick<TableRow, 'id' | 'name' | 'status'>;

export interface ReplayDeps extends StageDeps {
  files: FileReader;
}

/** How what does not fit a table is kept beside it, and brought in again once it fits. */
export interface QuarantineModel {
  /**
   * Stages again, in the replay's batch, what fits now, and completes the batch. A second try finds what the
   * first did.
   */
  stage(deps: ReplayDeps, batch: IngestionBatch, signal: AbortSignal): Promise<void>;
  /** The table that the batch puts records into or takes them from; undefined where it does neither. */
  reserve(
    deps: { db: Database; lake: LakeDeps },
    lake: Lake,
    batch: IngestionBatch,
    table: TableRow,
    pages: readonly StagedPage[],
  ): Promise<Quarantine | undefined>;
  /** Puts in and takes out, inside the transaction that applies the batch. */
  write(
    connection: EngineConnection,
    objects: ObjectStore,
    batch: IngestionBatch,
    quarantine: Quarantine,
    pages: readonly StagedPage[],
  ): Promise<LakeOperation>;
  /** The table's id, for the batch that is in the lake. */
  finalize(db: Database, batch: IngestionBatch): Promise<string | null>;
}
