import type { EffectiveCsv, Warning } from '../contract.ts';
import type { ChunkOptions } from './chunks.ts';
import type { TextTable } from './table.ts';
import type { PageSpan, RecordWindow } from './window.ts';

export interface NumberedTable {
  table: TextTable;
  /** Records of the file, or null if reading stopped before the end. */
  total: number | null;
  page: PageSpan;
  close(): Promise<void>;
}

export interface NumberOptions extends ChunkOptions {
  /** Path of the local file. */
  path: string;
  window?: RecordWindow;
}

/** A file with text values. */
export interface TextSource {
  /** Between the fields of the numbered table. */
  separator: string;
  /**
   * The table read directly from the store, in parallel and without numbers; undefined for files that
   * do not allow it.
   */
  direct: TextTable | undefined;
  /** Creates the table with the locations of its records, through a local file. */
  number(options: NumberOptions): Promise<NumberedTable>;
  effective: EffectiveCsv | null;
  /** Names of the sheets of a workbook; known once it was numbered. */
  sheets?: readonly string[];
  /** What it has that is likely not meant so; known once it was numbered. */
  warnings?: readonly Warning[];
}
