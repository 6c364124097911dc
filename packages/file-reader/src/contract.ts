import type { Readable } from 'node:stream';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { JsonValue } from './json/exact.ts';

export type FileFormat = 'csv' | 'parquet' | 'json' | 'ndjson' | 'xlsx';

export interface SourceFile {
  key: string;
  sizeBytes: number;
  format: FileFormat;
  /** Parquet only: files to read instead, as one table with the union of their columns, matched by name. */
  parts?: readonly { key: string; sizeBytes: number }[];
  /** Where the content lies, if it is compressed in the store; the size is then that of the content. */
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

export interface ReadOptions {
  /** If given, only the mapped columns are read. */
  columnMappings?: ColumnMapping[];
  csv?: CsvOptions;
  xlsx?: XlsxOptions;
  /** Whether lists and objects of JSON and Parquet become JSON documents, or keep types of their own. */
  nested?: 'json' | 'native';
  includeLoadDate: boolean;
}

/** The bucket or folder that has the files. Keys never start with a slash. */
export interface FileStore {
  /** What the engine puts before a key to open a file, such as `s3://bucket/`. Ends with a slash. */
  readonly rootUrl: string;
  /** Bytes `from`..`to` inclusive, or all. */
  read(key: string, range?: { from: number; to: number }): Promise<Readable>;
  remove(key: string): Promise<void>;
  /** Removes every file whose key starts with this. */
  removeAll(prefix: string): Promise<void>;
}

/** What is wrong with an option. */
export interface OptionFault {
  /** Names of `ReadOptions`, with the index of a mapping. */
  path: (string | number)[];
  message: string;
  /** `value_error`, `too_long`, … */
  type: string;
}

export interface ReaderDeps {
  /** Gives `work` a connection of its own, in whose database nothing has to be kept. */
  engine: { scratch<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> };
  store: FileStore;
  /** Local folder for temporary files; each use creates and removes a subfolder. */
  workDir: string;
  /** Whether no column may have this name; by default every name is free. */
  isReserved?: IsReserved;
  /** The rows of a statement as a preview shows them; by default as DuckDB's client writes JSON. */
  readRows?: (connection: DuckDBConnection, sql: string) => Promise<JsonValue[][]>;
}

export type IsReserved = (columnName: string) => boolean;

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

/** A column of the files that were written. */
export interface StagedColumn {
  name: string;
  /** INTEGER, DECIMAL(38,10), STRING, … */
  dataType: string;
  nullable: boolean;
}

export interface StagedTable {
  columns: StagedColumn[];
  files: StagedFile[];
  rows: number;
}

export interface Staged {
  /** Lines skipped by detection; empty for formats without lines. */
  skippedLines: SkippedLine[];
  /** Absent where there are none. */
  warnings?: Warning[];
  table: StagedTable;
  sourceColumns: SourceColumn[];
  quarantine: StagedTable | undefined;
  bytesRead: number;
}

export interface StageTarget {
  /** Below the store's `rootUrl`; ends with a slash. Whatever is below it is removed first. */
  prefixUrl: string;
  quarantine: boolean;
}

export interface StageProgress {
  fraction: number;
  bytesRead: number;
  rows: number;
}
