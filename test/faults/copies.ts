import type { SourceRecord } from './source-records.ts';
import type { FaultSource } from './sources.ts';
import type { Data } from './talks.ts';

/** `changes` is read from its cursor on, `whole` from its beginning. */
export const copyKeys = ['changes', 'whole'] as const;
export type CopyKey = (typeof copyKeys)[number];

/** A snapshot that was asked for, and what its client was told of it. */
export interface StartedSnapshot {
  tag: string;
  copy: CopyKey;
  /** The source's state when it was asked for. */
  before: number;
  /** Undefined where its start was never acknowledged. */
  id: string | undefined;
  /** Another one was under way: it is none. */
  isRefused: boolean;
}

/** The newest value that was seen of each record, by id. */
export type SeenCopy = ReadonlyMap<number, number>;

/** Datasets of one source, and the tables that they become. */
export interface Copies {
  source: FaultSource;
  limits: { requests_per_second: number; max_concurrency: number };
  /** Of the API. */
  paths: Record<CopyKey, string>;
  tables: Record<CopyKey, string>;
  started: StartedSnapshot[];
  /** The newest that readers saw of each; undefined before there is a table. */
  seen: Record<CopyKey, SeenCopy | undefined>;
}

export const endStatuses: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export const queryOf = (table: string) => ({
  sql: `SELECT id, epoch_ms("at") AS "at", value FROM ${table}`,
  limit: 10_000,
  row_format: 'rows',
  timeout_ms: 6_000,
});

export function recordsOf(data: Data): SourceRecord[] {
  return (data?.['rows'] ?? []).map(({ id, at, value }: Data) => ({
    id: Number(id),
    at: new Date(Number(at)).toISOString(),
    value: Number(value),
  }));
}
