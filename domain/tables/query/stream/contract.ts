import type { Piece, PostgresFormat, WrittenFormat } from '../../../../packages/row-formats/index.ts';
import type { PlainReading, QueryParameter, QueryRelation, ReadingLocation } from '../request.ts';

/** Runs a statement and hands on its rows, encoded, piece by piece. */
export interface StreamTask {
  kind: 'stream';
  location: ReadingLocation;
  plain?: PlainReading | undefined;
  relations: readonly QueryRelation[];
  sql: string;
  parameters?: readonly QueryParameter[];
  tableSources?: readonly string[];
  /** The snapshot at which each table is read, by name; the newest by default. */
  atVersions: ReadonlyMap<string, number>;
  /** Number of rows handed on at most; all if undefined. */
  limit: number | undefined;
  format: WrittenFormat | PostgresFormat;
  /** Begins another file, whole in itself, after one that has grown as large. */
  maxFileBytes?: number | undefined;
}

export interface Streamed {
  /** Names as they are in the stream: no two are the same. */
  columns: { name: string; dataType: string }[];
  rowCount: number;
  /** Whether there were more rows than the limit. */
  truncated: boolean;
  /** Tables and views that were read, those behind views too. */
  scannedRelationIds: string[];
  /** The newest committed snapshot of the lake when the statement started; 0 if it read none. */
  snapshotId: number;
  elapsedMs: number;
}

/**
 * Takes the pieces one after the other, and resolves when it wants the next one. Rejecting, with an AppError,
 * ends the statement. If the task is aborted or its time is up while it holds a piece, it must settle by
 * itself.
 */
export type OnPiece = (piece: Piece) => Promise<void>;
