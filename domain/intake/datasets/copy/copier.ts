import type { EngineConnection } from '../../../../data/lake/engine/contract.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import type { CsvOptions } from '../../../../packages/file-reader/index.ts';
import type { DataConnection } from '../../data-connections/data-connections.ts';
import type { SessionLimits } from '../../data-connections/sources/sockets.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import type { FileReader } from '../../file-imports/reader.ts';
import type { StagedTable } from '../../file-imports/staged.ts';
import type { CopyProgress, SnapshotWarning } from '../snapshot-runs.ts';
import type { CopiedIncrement, Increment } from './increment.ts';

/** What to copy, and where to. */
export interface CopyRequest {
  connection: DataConnection;
  resource: string;
  /** Ends with a slash. Everything below it belongs to this copy. */
  prefixUrl: string;
  /** Copies only recent changes; for databases. */
  increment?: Increment | undefined;
  /** For databases: what to do with a value that its type cannot hold. */
  unreadable?: UnreadableValues;
  /** For object stores: how CSV is read, where it is not to be detected. */
  csv?: CsvOptions;
  /** Columns of the source by which an error names a row. */
  keys?: readonly string[];
}

export type UnreadableValues = 'fail' | 'null';

export interface Copied extends StagedTable {
  /** Bytes as sent by the source. */
  bytes: number;
  increment?: CopiedIncrement;
  warnings?: SnapshotWarning[];
}

/** Copies a source's resource to staged Parquet files. */
export interface SourceCopier {
  /** @throws RemoteFailure if the source is the cause */
  copy(
    request: CopyRequest,
    progress: (progress: CopyProgress) => void,
    signal: AbortSignal,
  ): Promise<Copied>;
}

/**
 * Runs the work with an engine process of its own, as soon as one is available; interrupted when the session
 * with the source ends.
 */
export type WithEngine = <T>(
  ended: AbortSignal,
  work: (engine: EngineConnection) => Promise<T>,
) => Promise<T>;

export interface CopyDeps {
  limits: SessionLimits;
  objects: ObjectStore;
  workDir: string;
  organizationId: string;
  /** Converts files to Parquet the way imports do. */
  files: FileReader;
  /** Maximum bytes of one copy, both as sent by the source and decompressed. */
  maxBytes: number;
  /** Size of one CSV file; the default is that of production. */
  fileBytes?: number;
}

/** How sources of one type are copied. */
export type CopySource = (
  deps: CopyDeps,
  target: SourceTarget,
  withEngine: WithEngine,
  request: Omit<CopyRequest, 'connection'>,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
) => Promise<Copied>;
