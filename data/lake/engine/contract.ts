import type { LakeLocation } from '../location.ts';

/**
 * What a statement takes and gives across processes; a value of another type comes as the engine's text of
 * it.
 */
export type SqlValue = null | boolean | number | bigint | string;

/** A connection of an engine process. Its statements run one after the other. */
export interface EngineConnection {
  /** Runs a statement; how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  read(sql: string, values?: readonly SqlValue[]): Promise<{ names: string[]; rows: SqlValue[][] }>;
  /**
   * Rows as JSON text of their columns from the second on, by their own names, beside the first column's
   * value.
   */
  readTexts(sql: string): Promise<{ first: SqlValue; text: string }[]>;
}

export interface SessionOptions {
  /** Aborted when nobody waits for the result: what runs is interrupted. */
  signal?: AbortSignal | undefined;
  /** Longer than this no session may take. */
  timeoutMs?: number;
}

/**
 * Engine processes of the service's own statements. Statements of users never run here. Each process works
 * for one caller at a time, so what ends one costs that caller a 503, and a statement that alters a schema
 * runs alone.
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
  /** Does a job that is more than statements within an engine process. */
  perform(
    organizationId: string,
    job: { name: string; input: unknown; onProgress?: (progress: unknown) => void },
    options?: SessionOptions,
  ): Promise<unknown>;
  processIds(): number[];
  close(): Promise<void>;
}
