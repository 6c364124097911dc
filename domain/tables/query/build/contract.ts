import type { LakeLocation } from '../../../../data/lake/location.ts';
import type { Increment } from '../../../../packages/sql-guard/index.ts';
import type { QueryRelation } from '../request.ts';

/** Writes the result of a definition to Parquet files in the lake's own folder. */
export interface BuildTask {
  kind: 'build';
  location: LakeLocation;
  sql: string;
  relations: readonly QueryRelation[];
  /** The snapshot at which each table is read, by name. */
  atVersions: ReadonlyMap<string, number>;
  /** Folder for the files; ends with a slash. */
  prefixUrl: string;
  /** How the result follows from rows that are added; null if it has to be made anew. */
  increment: Increment | null;
  /** What was added since the last build, if nothing else happened. */
  added: AddedRows | undefined;
}

/** Rows that were added to one of the tables. */
export interface AddedRows {
  tableName: string;
  /** The snapshot of the last build. */
  after: number;
  /** How many there are, as the ledger says. */
  rows: number;
  /** The shape of what the last build read. */
  shape: string;
  /** Files with what the last build kept for each group. */
  groupFiles: readonly string[];
}

export interface BuiltFile {
  url: string;
  rows: number;
  sizeBytes: number;
}

export interface Built {
  /** The columns as they are stored, in the service's types. */
  columns: { name: string; dataType: string }[];
  /** The whole content; only more rows if `mode` says so. */
  files: BuiltFile[];
  rows: number;
  /** `rows`: more rows of the content that is there. `groups`: the whole content, from what was kept. */
  mode: 'full' | 'rows' | 'groups';
  /** What is kept for each group, for the next build. */
  groupFiles: BuiltFile[];
  /** Columns and types of all that was read. */
  shape: string;
}
