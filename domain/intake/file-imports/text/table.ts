import type { TextForm } from '../values/cast.ts';

/** A record that is no record at all: its line, as much of its text as is kept, and why. */
export interface BrokenRecord {
  line: number;
  /** Its place among the others, as their `_at`. */
  at: number;
  raw: string;
  reason: string;
}

/** `_at` and `_bytes` of a record. */
export interface RecordPlace {
  at: number;
  bytes: number;
  /** Where its text is among those that stand aside, if it does. */
  aside?: number | undefined;
}

/** Records whose place in the file is known, so that a bad one can be named and shown. */
export interface Numbering {
  /** Records in the table, the broken ones not counted. */
  records: number;
  /** Those among them that have another number of fields than the table has columns. */
  illShaped: number;
  broken: readonly BrokenRecord[];
  /** The records' own texts, as far as `maxBytes`; `places` are in the order of the file. */
  readRaws(places: readonly RecordPlace[], maxBytes?: number): Promise<string[]>;
}

/**
 * `strict` fails at the first record whose structure is wrong, `skip` leaves such records out, and `store`
 * does too but remembers them in the connection's temporary table `reject_errors`.
 */
export type ReadMode = 'strict' | 'skip' | 'store';

/**
 * A file as texts, whatever its format: columns `c0`, `c1`, … VARCHAR; with numbering also `_line`, `_at`
 * (which no two records share and which grows with them) and `_bytes`; when tagged also `t0`, `t1`, … naming
 * what the source calls each value.
 */
export interface TextTable {
  names: readonly string[];
  isTagged: boolean;
  /** The engine's CSV reader judges the structure of the records, and can remember those it refused. */
  isParsed: boolean;
  form: TextForm;
  /** `used` are the columns that the query is sure to read. */
  from(mode: ReadMode, used?: ReadonlySet<number>): string;
  /** Relation of the ill-shaped records: `_line`, `_at`, `_bytes`, their number of `fields`, and `aside`. */
  illShaped?: string;
  numbering: Numbering | undefined;
}
