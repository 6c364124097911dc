import type { LakeLocation } from '../../../../data/lake/location.ts';
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
}

export interface BuiltFile {
  url: string;
  rows: number;
  sizeBytes: number;
}

export interface Built {
  /** The columns as they are stored, in the service's types. */
  columns: { name: string; dataType: string }[];
  files: BuiltFile[];
  rows: number;
}
