import type { PoolLoad } from '../../process-pool/measures.ts';
import type { LakeLocation } from '../location.ts';

/**
 * A value that a statement takes or returns across processes; values of other types are returned as the
 * engine's text.
 */
export type SqlValue = null | boolean | number | bigint | string;

/** A connection of an engine process. Its statements run sequentially. */
export interface EngineConnection {
  /** Runs a statement; returns the number of rows changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  read(sql: string, values?: readonly SqlValue[]): Promise<{ names: string[]; rows: SqlValue[][] }>;
  /**
   * Returns for each row the value of its first column, and its other columns as JSON text by their own
   * names.
   */
  readTexts(sql: string): Promise<{ first: SqlValue; text: string }[]>;
}

export interface SessionOptions {
  /** Aborted when no caller waits for the result; the running statement is interrupted. */
  signal?: AbortSignal | undefined;
  /** Upper limit for the session. */
  timeoutMs?: number;
}

/**
 * Engine processes for the service's own statements; users' statements never run here. Each process works for
 * one caller at a time, so if a process dies, only that caller gets a 503, and a statement that alters a
 * schema runs alone.
 */
export interface LakeEngine {
  /** A connection whose default catalog is the organization's lake. */
  use<T>(
    location: LakeLocation,
    work: (connection: EngineConnection) => Promise<T>,
    options?: SessionOptions,
  ): Promise<T>;
  /** A connection without any lake, for files. */
  scratch<T>(
    organizationId: string,
    work: (connection: EngineConnection) => Promise<T>,
    options?: SessionOptions,
  ): Promise<T>;
  /** Runs a job that is more than statements in an engine process. */
  perform(
    organizationId: string,
    job: { name: string; input: unknown; onProgress?: (progress: unknown) => void },
    options?: SessionOptions,
  ): Promise<unknown>;
  processIds(): number[];
  load(): PoolLoad;
  /** Whether its processes can start with all they need. */
  isAble(): boolean;
  close(): Promise<void>;
}
