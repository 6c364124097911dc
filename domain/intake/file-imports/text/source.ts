import type { EffectiveCsv } from '../contract.ts';
import type { ReadOptions } from './chunks.ts';
import type { TextTable } from './table.ts';
import type { PageSpan, RecordWindow } from './window.ts';

export interface NumberedTable {
  table: TextTable;
  /** Records of the file, or null where the reading stopped before its end. */
  total: number | null;
  page: PageSpan;
  close(): Promise<void>;
}

export interface NumberOptions extends ReadOptions {
  /** Where the local file goes. */
  path: string;
  window?: RecordWindow;
}

/** An uploaded file whose values are texts. */
export interface TextSource {
  /** Between the fields of the numbered table. */
  separator: string;
  /**
   * The table read straight from the object store, in parallel and without numbers; not every file allows it.
   */
  direct: TextTable | undefined;
  /** The table with its records' places, through a local file. */
  number(options: NumberOptions): Promise<NumberedTable>;
  effective: EffectiveCsv | null;
}
