import type { JsonValue } from '../../../data/exact-json.ts';
import type { LocalEngine } from '../../../data/lake/engine/local.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { LakeColumn } from '../../tables/tables/columns.ts';

export type ImportFormat = 'csv' | 'parquet' | 'json' | 'ndjson' | 'xlsx';

export interface ImportSource {
  objectKey: string;
  path: string;
  sizeBytes: number;
  format: ImportFormat;
  /** Of Parquet: the files that are read instead, as one with the union of their columns, by name. */
  parts?: readonly { objectKey: string; sizeBytes: number }[];
}

export interface ColumnMapping {
  sourceColumnName: string;
  targetColumnName: string;
  dataType: string;
  unique: boolean;
  nullable: boolean;
  /** The source column must exist; a column that is not required and not there is all nulls. */
  required: boolean;
}

/** What is left out is detected from the file, or takes its default. */
export interface CsvOptions {
  charEncoding?: string;
  columnSeparator?: string;
  quoteCharacter?: string;
  headerRow?: number;
  firstDataRow?: number;
  dateFormat?: string;
  thousands?: string;
  nullValues?: string[];
}

export interface ImportOptions {
  /** Given mappings are the whole projection. */
  columnMappings?: ColumnMapping[];
  csv?: CsvOptions;
  includeLoadDate: boolean;
}

export interface ImportDeps {
  engine: Pick<LocalEngine, 'scratch'>;
  objects: ObjectStore;
  /** Local folder for temporary files; each use makes and removes a folder of its own in it. */
  workDir: string;
}

export interface BadRow {
  /**
   * The physical line of the file where the record starts, 1-based, the header counted; a row number in
   * Parquet and XLSX.
   */
  line: number;
  column: string | null;
  raw: string;
  reason: string;
}

export interface PreviewPage {
  /** 1-based. */
  pageNumber: number;
  pageSize: number;
}

/** The CSV options in effect: what was given, and what was detected. */
export interface EffectiveCsv extends Required<CsvOptions> {
  skippedLines: SkippedLine[];
}

/** A line, or some of a header's names, that detection left out; nothing that holds data is. */
export interface SkippedLine {
  /** Physical line, 1-based. */
  line: number;
  reason: string;
}

export interface PreviewColumn {
  sourceName: string;
  targetName: string;
  dataType: string;
  nullable: boolean;
}

/** A page is `pageSize` records of the file: those that fit are `rows`, the others `badRows`. */
export interface Preview {
  columns: PreviewColumn[];
  rows: JsonValue[][];
  pageNumber: number;
  pageSize: number;
  /** Records of the file, bad ones counted; null where counting would mean to read a huge file. */
  totalRows: number | null;
  badRows: BadRow[];
  detectedCsv: EffectiveCsv | null;
}

export interface StagedFile {
  url: string;
  rows: number;
  sizeBytes: number;
}

export interface StagedTable {
  columns: LakeColumn[];
  files: StagedFile[];
  rows: number;
}

export interface Staged {
  /** Lines that detection left out; none of a format that has no lines. */
  skippedLines: SkippedLine[];
  table: StagedTable;
  quarantine: StagedTable | undefined;
  bytesRead: number;
}

export interface StageTarget {
  /** Ends in a slash. Everything under it belongs to this import. */
  prefixUrl: string;
  quarantine: boolean;
}

export interface StageProgress {
  fraction: number;
  bytesRead: number;
  rows: number;
}

const formats: Record<string, ImportFormat> = {
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  txt: 'csv',
  parquet: 'parquet',
  pq: 'parquet',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  xlsx: 'xlsx',
};

/** The format that a file's name says, or undefined. */
export function formatOf(path: string): ImportFormat | undefined {
  const extension = /\.([^./]+)$/.exec(path)?.[1];
  return extension === undefined ? undefined : formats[extension.toLowerCase()];
}
