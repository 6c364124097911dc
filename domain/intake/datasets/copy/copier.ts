import type { EngineConnection } from '../../../../data/lake/engine/contract.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import type { DataConnection } from '../../data-connections/data-connections.ts';
import type { SessionLimits } from '../../data-connections/sources/sockets.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import type { StagedTable } from '../../file-imports/contract.ts';
import type { FileReader } from '../../file-imports/reader.ts';
import type { CopyProgress } from '../snapshot-runs.ts';
import type { CopiedIncrement, Increment } from './increment.ts';

/** What is copied, and to where. */
export interface CopyRequest {
  connection: DataConnection;
  resource: string;
  /** Ends in a slash. Everything under it belongs to this copy. */
  prefixUrl: string;
  /** Only what came since; of databases. */
  increment?: Increment | undefined;
}

export interface Copied extends StagedTable {
  /** Of the source, as they came. */
  bytes: number;
  increment?: CopiedIncrement;
}

/** Copies a resource of a source to Parquet beside the lake. */
export interface SourceCopier {
  /** @throws RemoteFailure where the source is why */
  copy(
    request: CopyRequest,
    progress: (progress: CopyProgress) => void,
    signal: AbortSignal,
  ): Promise<Copied>;
}

/**
 * Gives the work an engine process of its own, once there is one, and until the session with the source ends.
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
  /** Makes Parquet of files as imports do. */
  files: FileReader;
  /** Of one copy, as its source sends it, and unpacked. */
  maxBytes: number;
  /** Of one file of CSV; left out, that of production. */
  fileBytes?: number;
}

/** How the sources of one type are copied. */
export type CopySource = (
  deps: CopyDeps,
  target: SourceTarget,
  withEngine: WithEngine,
  request: Omit<CopyRequest, 'connection'>,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
) => Promise<Copied>;
