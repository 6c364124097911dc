import type { TextForm } from '../values/cast.ts';

/** Text that is not a record: its line, as much of the text as is kept, and the reason. */
export interface BrokenRecord {
  line: number;
  /** Its position in the order of the records' `_at`. */
  at: number;
  raw: string;
  reason: string;
}

/** `_at` and `_bytes` of a record. */
export interface RecordPlace {
  at: number;
  bytes: number;
  /** Position of its text in the file of ill-shaped records, if it is there. */
  aside?: number | undefined;
}

/** Records whose location in the file is known, so that a bad one can be identified and shown. */
export interface Numbering {
  /** Records in the table, without broken ones. */
  records: number;
  /** Those of `records` whose number of fields is not that of the columns. */
  illShaped: number;
  /** Records that lack trailing fields: ill-shaped, or padded. */
  short: number;
  broken: readonly BrokenRecord[];
  /** Source texts of the records, up to `maxBytes` each; `places` must be in file order. */
  readRaws(places: readonly RecordPlace[], maxBytes?: number): Promise<string[]>;
}

/**
 * `strict` fails at the first malformed record, `skip` omits such records, and `store` does the same but
 * records them in the connection's temporary table `reject_errors`.
 */
export type ReadMode = 'strict' | 'skip' | 'store';

/**
 * A file of any format as text: VARCHAR columns `c0`, `c1`, …; with numbering also `_line`, `_at` (unique and
 * increasing) and `_bytes`; if tagged also `t0`, `t1`, … with the source's type of each value.
 */
export interface TextTable {
  names: readonly string[];
  isTagged: boolean;
  /** The list or struct that holds every value of a column, where one does and was asked for. */
  nestedTypes?: readonly (string | undefined)[];
  /** The engine's CSV reader checks the structure of records and can store those that it rejects. */
  isParsed: boolean;
  form: TextForm;
  /** `used` are the columns that the query is certain to read. */
  from(mode: ReadMode, used?: ReadonlySet<number>): string;
  /** Relation of the ill-shaped records: `_line`, `_at`, `_bytes`, their number of `fields`, and `aside`. */
  illShaped?: string;
  numbering: Numbering | undefined;
}
