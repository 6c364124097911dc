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
  /** Parquet only: files to read instead, as one table with the union of their columns, matched by name. */
  parts?: readonly { objectKey: string; sizeBytes: number }[];
  /** Where the content lies, if it was compressed in the object; the size is then that of the content. */
  localPath?: string;
}

export interface ColumnMapping {
  sourceColumnName: string;
  targetColumnName: string;
  dataType: string;
  unique: boolean;
  nullable: boolean;
  /** Whether the source column must exist; if it is optional and missing, all values are null. */
  required: boolean;
  /** The format of its dates, such as dd/MM/yyyy; by default that of the csv options. */
  dateFormat?: string;
}

/** Omitted options are detected from the file or take their defaults. */
export interface CsvOptions {
  charEncoding?: string;
  columnSeparator?: string;
  quoteCharacter?: string;
  /** Before a quote within a value in quotes; empty, or the quote itself, where quotes are only doubled. */
  escapeCharacter?: string;
  headerRow?: number;
  firstDataRow?: number;
  dateFormat?: string;
  thousands?: string;
  nullValues?: string[];
  /** What a record is that lacks trailing fields: bad by default, or padded with nulls. */
  shortRows?: 'bad' | 'pad';
}

/** Which part of a workbook is read; omitted options take their defaults. */
export interface XlsxOptions {
  /** Name, ignoring case; the first worksheet by default. */
  sheet?: string;
  /** 1-based; 0 for none. By default the first row that is not empty, below titles. */
  headerRow?: number;
  /** 1-based; by default the row after the header. */
  firstDataRow?: number;
  /** 1-based; by default the last row of the sheet. */
  lastDataRow?: number;
}

export interface ImportOptions {
  /** If given, only the mapped columns are imported. */
  columnMappings?: ColumnMapping[];
  csv?: CsvOptions;
  xlsx?: XlsxOptions;
  /** Whether lists and objects of JSON and Parquet become JSON documents, or keep types of their own. */
  nested?: 'json' | 'native';
  includeLoadDate: boolean;
}

export interface ImportDeps {
  engine: Pick<LocalEngine, 'scratch'>;
  objects: ObjectStore;
  /** Local folder for temporary files; each use creates and removes a subfolder. */
  workDir: string;
}

export interface BadRow {
  /**
   * Physical line on which the record starts, 1-based, including the header; in Parquet and XLSX a row
   * number.
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

/** The CSV options in effect, both given and detected. */
export interface EffectiveCsv extends Required<CsvOptions> {
  skippedLines: SkippedLine[];
}

/** A line, or some names of a header, that detection skipped; never data. */
export interface SkippedLine {
  /** Physical line, 1-based. */
  line: number;
  reason: string;
}

/** What was read, and is likely not meant so. */
export interface Warning {
  code: 'short_rows' | 'short_rows_padded' | 'formulas_without_value' | 'title_rows';
  message: string;
  sheet?: string;
  column?: string;
  count: number;
}

export interface PreviewColumn {
  sourceName: string;
  targetName: string;
  dataType: string;
  nullable: boolean;
  /** The format of its dates, if it is not ISO 8601; a mapping takes it. */
  dateFormat?: string;
}

/** A page of `pageSize` records: valid ones are in `rows`, the others in `badRows`. */
export interface Preview {
  columns: PreviewColumn[];
  rows: JsonValue[][];
  pageNumber: number;
  pageSize: number;
  /** Records of the file, including bad ones; null if counting would require reading a huge file. */
  totalRows: number | null;
  badRows: BadRow[];
  /** Bad records of the whole file; null if not all of them were checked. */
  badRowsTotal: number | null;
  detectedCsv: EffectiveCsv | null;
  warnings: Warning[];
  /** Names of the sheets of a workbook, in order. */
  sheets: string[] | null;
}

export interface StagedFile {
  url: string;
  rows: number;
  sizeBytes: number;
}

/** A column of the table with the name that it has in the file. */
export interface SourceColumn {
  source: string;
  target: string;
}

export interface StagedTable {
  columns: LakeColumn[];
  files: StagedFile[];
  rows: number;
}

export interface Staged {
  /** Lines skipped by detection; empty for formats without lines. */
  skippedLines: SkippedLine[];
  /** Absent from a manifest that an earlier release wrote. */
  warnings?: Warning[];
  table: StagedTable;
  /** Absent from a manifest that an earlier release wrote. */
  sourceColumns?: SourceColumn[];
  quarantine: StagedTable | undefined;
  bytesRead: number;
}

export interface StageTarget {
  /** Ends with a slash. Everything below it belongs to this import. */
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

const compressedEndings = /\.(gz|gzip|zst|zstd)$/i;

/** The format according to a file's extension, or the one before that of a compressed file; or undefined. */
export function formatOf(path: string): ImportFormat | undefined {
  const extension = /\.([^./]+)$/.exec(path.replace(compressedEndings, ''))?.[1];
  return extension === undefined ? undefined : formats[extension.toLowerCase()];
}
