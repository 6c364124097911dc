import type { FaultDatabase } from './database.ts';
import type { SourceRecord, SourceRecords } from './source-records.ts';
import type { FaultSource } from './sources.ts';
import type { Data } from './talks.ts';

/**
 * Of an HTTP API, `changes` is read from its cursor, `whole` from the beginning. Of a database, `table` is
 * copied completely, and `growth` by its cursor.
 */
export const copyKeys = ['changes', 'whole', 'table', 'growth'] as const;
export type CopyKey = (typeof copyKeys)[number];

export interface CopySource {
  records: SourceRecords;
  /** The number of changes that it certainly has; later ones are on their way. */
  settled(): number;
  /** Changes records at one instant, and waits until the source certainly has the changes. */
  change(ids: readonly number[]): Promise<void>;
  /** Rows of its table that are not records. */
  beside: number;
}

/** A copy's content, as its table was read. */
export interface CopyRows {
  records: SourceRecord[];
  beside: number;
}

/** A requested snapshot, and what its client was told of it. */
export interface StartedSnapshot {
  tag: string;
  copy: CopyKey;
  /** The source's state at the time of the request. */
  before: number;
  /** Undefined if its start was never acknowledged. */
  id: string | undefined;
  /** Refused because another one was in progress. */
  isRefused: boolean;
}

/** The newest value seen of each record, by id. */
export type SeenCopy = ReadonlyMap<number, number>;

/** Datasets of two sources, and their tables. */
export interface Copies {
  source: FaultSource;
  database: FaultDatabase;
  /** Of the HTTP API. */
  limits: { requests_per_second: number; max_concurrency: number };
  /** Of the service. */
  paths: Record<CopyKey, string>;
  tables: Record<CopyKey, string>;
  started: StartedSnapshot[];
  /** Ids of those that have not ended, as far as their clients know. */
  underWay: Set<string>;
  /** The newest that readers saw of each; undefined before the table exists. */
  seen: Record<CopyKey, SeenCopy | undefined>;
}

export const endStatuses: readonly string[] = ['succeeded', 'failed', 'cancelled'];

export const sourceOf = ({ source, database }: Copies, copy: CopyKey): CopySource =>
  copy === 'changes' || copy === 'whole' ? source : database;

export const queryOf = (table: string) => ({
  sql: `SELECT id, epoch_ms("at") AS "at", value, (SELECT count(*) FROM ${table} WHERE id < 0) AS beside
    FROM ${table} WHERE id > 0`,
  limit: 10_000,
  row_format: 'rows',
  timeout_ms: 6_000,
});

export function rowsOf(data: Data): CopyRows {
  const rows: Data[] = data?.['rows'] ?? [];
  const records = rows.map(({ id, at, value }) => ({
    id: Number(id),
    at: new Date(Number(at)).toISOString(),
    value: Number(value),
  }));
  return { records, beside: Number(rows[0]?.beside ?? 0) };
}
