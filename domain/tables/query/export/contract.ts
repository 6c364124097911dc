import type { LakeLocation } from '../../../../data/lake/location.ts';
import type { QueryRelation } from '../request.ts';

/** Formats that the engine writes itself. */
export type CopiedFormat = 'csv' | 'csv.gz' | 'parquet' | 'xlsx';

/** Writes the rows of a statement to files of the lake's own folder. */
export interface ExportTask {
  kind: 'export';
  location: LakeLocation;
  sql: string;
  relations: readonly QueryRelation[];
  /** The snapshot at which each table is read, by name. */
  atVersions: ReadonlyMap<string, number>;
  /** Folder for the files; ends with a slash. */
  prefixUrl: string;
  format: CopiedFormat;
  /** Whether CSV begins with one, by which Excel knows that it is UTF-8. */
  byteOrderMark: boolean;
  /** A file that has grown as large is followed by another; one file if undefined. */
  maxFileBytes: number | undefined;
}

export interface Exported {
  rows: number;
  /** Tables and views that were read, those behind views too. */
  scannedRelationIds: string[];
}
