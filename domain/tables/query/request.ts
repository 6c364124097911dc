import type { LakeLocation } from '../../../data/lake/location.ts';

/** A table or view a statement may name. */
export interface QueryRelation {
  name: string;
  id: string;
  /** A saved view's SELECT, checked when it was saved; absent for a table. */
  definition?: string;
}

/** A value of one cell, as a statement may be given one beside its text. Numbers keep their digits. */
export type CellValue = string | boolean | null | { number: string };

/** A parameter of the engine. */
export interface QueryParameter {
  /** Without its dollar sign. */
  name: string;
  /** The placeholder that stood in its place. */
  source: string;
  value: CellValue;
}

export type RowFormat = 'both' | 'rows' | 'rows_with_column_order';

export interface QueryRequest {
  /** Its catalog user can read this organization's schema and nothing else. */
  location: LakeLocation;
  /** Every relation of the organization; what is not here does not exist for the statement. */
  relations: readonly QueryRelation[];
  sql: string;
  /** Each stands in `sql` as `$name`; the statement's own parameters have no values. */
  parameters?: readonly QueryParameter[];
  /** Relations that it must read, by what was written in their places. */
  tableSources?: readonly string[];
  limit: number;
  timeoutMs: number;
  rowFormat: RowFormat;
  /** Relation name to the snapshot it is read at; a view reads all its tables there. */
  atVersions: ReadonlyMap<string, number>;
  /** Whether it is checked and not run: then it may name any table. */
  onlyCheck?: boolean;
  /** Aborted when the client went away: the statement is interrupted. */
  signal?: AbortSignal;
}

export interface QueryAnswer {
  /** The statement's own names, duplicates kept. */
  columns: { name: string; dataType: string }[];
  /** JSON text of `[{camelCased: value}, …]`; of colliding names the last wins. */
  rowsJson: string | undefined;
  /** JSON text of `[[{name, value}, …], …]`. */
  rowsWithColumnOrderJson: string | undefined;
  rowCount: number;
  truncated: boolean;
  elapsedMs: number;
  /** Tables and views read, the tables under a view included. */
  scannedRelationIds: string[];
  /** Of a statement that was only checked: every table that it names, whether there is one or not. */
  namedTables?: string[];
  /** The newest committed snapshot of the lake when the statement started; all of it read there. */
  snapshotId: number;
}
