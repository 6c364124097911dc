import type { Column } from './catalog.ts';
import type { Operator } from './comparisons.ts';
import type { Aggregate, ChartKind, Period } from './lexicon.ts';
import type { ColumnMatch, Correction, ValueMatch } from './match.ts';

export type { Aggregate, ChartKind, Period };

/** Words that refer to a column, before it is decided which. */
export interface Reference {
  said: string;
  columns: ColumnMatch[];
  /** Tables that the same words may name. */
  tables: string[];
}

/** From the first day inclusive to the second exclusive. */
export interface Range {
  from?: string;
  to?: string;
}

export type DraftFilter = { isNegated: boolean; said: string; isAfterVerb: boolean } & (
  | { kind: 'values'; matches: ValueMatch[]; values: string[]; column?: Reference }
  | { kind: 'quoted'; values: string[]; column?: Reference }
  | { kind: 'flag'; column: Reference }
  | { kind: 'null'; column: Reference }
  | { kind: 'related'; table: string; column?: undefined }
  | { kind: 'dates'; ranges: Range[]; month?: number | undefined; column?: Reference }
  | {
      kind: 'compare';
      operator: Operator;
      value: string;
      column?: Reference;
      quality?: string;
      unit?: string | undefined;
    }
  | { kind: 'between'; low: string; high: string; column?: Reference }
);

export interface DraftMeasure {
  aggregate: Aggregate;
  /** If missing, rows are counted, or the amount-like column is used. */
  column?: Reference;
  /** The table whose rows are counted. */
  table?: string;
  said: string;
  /** The owner named before "with": "the country with the highest revenue". */
  owner?: Reference | undefined;
  /** True for "highest": with "which" it is an order, alone it is the maximum. */
  isSuperlative?: boolean;
}

export type DraftGroup = { said: string } & (
  | { period: Period; column?: Reference }
  /** `orPeriod`: a column has the name of a period, which is meant where the table has no such column. */
  | { period?: undefined; column: Reference; orPeriod?: Period }
);

export type Intent = 'help' | 'tables' | 'describe' | 'values' | 'rows' | 'first' | 'last';

/** The content of one message, before it is combined with earlier ones and with the tables. */
export interface Draft {
  intent?: Intent;
  /** True if it begins like a continuation of the previous question. */
  isOpener: boolean;
  /** True for "and by …": the grouping is stated again. */
  isBy: boolean;
  /** True for "also": groups are added to the existing ones. */
  isAddition: boolean;
  tables: string[];
  measures: DraftMeasure[];
  groups: DraftGroup[];
  /** The subject of "which" or "top": a group, or the rows of a table. */
  subject?: DraftGroup;
  /** Columns that were named without anything being said about them. */
  loose: Reference[];
  filters: DraftFilter[];
  direction?: 'asc' | 'desc';
  limit?: number;
  /** The order of the rows. */
  order?: Reference;
  isRows: boolean;
  isShare: boolean;
  /** "The busiest month": rows of the largest table are counted. */
  isBusy: boolean;
  /** "Compare A and B": the values of a filter are the groups. */
  isComparison: boolean;
  /** The word that said the order, such as "longest" or "worst": it may say by which column. */
  quality?: string;
  /** Columns named in brackets, which win over others that the words may mean. */
  preferred: Column[];
  chart?: ChartKind | 'any';
  isReport: boolean;
  unknown: string[];
  ignored: string[];
  /** Sentences for the user about why it cannot be answered as asked. */
  problems: string[];
  corrections: Correction[];
  isCut: boolean;
}

export function emptyDraft(): Draft {
  return {
    isOpener: false,
    isBy: false,
    isAddition: false,
    tables: [],
    measures: [],
    groups: [],
    loose: [],
    filters: [],
    isRows: false,
    isShare: false,
    isBusy: false,
    isComparison: false,
    preferred: [],
    isReport: false,
    unknown: [],
    ignored: [],
    problems: [],
    corrections: [],
    isCut: false,
  };
}

export type Condition = { isNegated: boolean; said: string; isAfterVerb: boolean } & (
  | { kind: 'values'; column: Column; values: string[] }
  | { kind: 'anyText'; columns: Column[]; values: string[] }
  | { kind: 'flag'; column: Column }
  | { kind: 'null'; column: Column }
  | { kind: 'related'; table: string }
  | { kind: 'dates'; column: Column; ranges: Range[] }
  | { kind: 'compare'; column: Column; operator: Operator; value: string }
  | { kind: 'between'; column: Column; low: string; high: string }
);

/** A joined table, with at most one row for each row of the first table; if `isMany`, with any number. */
export interface Join {
  table: string;
  /** A column of the first table, or of the one between. */
  left: string;
  right: string;
  isMany: boolean;
  /** Found by their values, not by their names. */
  isByValues?: boolean;
  /** How the table between is joined. */
  via?: Join;
  /** Other columns by which the two could be joined. */
  others?: Join[];
}

export interface Measure {
  aggregate: Aggregate;
  column?: Column;
  label: string;
}

export interface Group {
  column: Column;
  period?: Period;
  label: string;
}

/** A question that one statement can answer. */
export interface Question {
  kind: 'aggregate' | 'rows';
  base: string;
  joins: Join[];
  measures: Measure[];
  groups: Group[];
  filters: Condition[];
  /** The columns shown for rows. */
  columns: Column[];
  share?: 'groups' | 'filters';
  order?: { by: 'measure' | 'groups' | Column; direction: 'asc' | 'desc' };
  limit?: number;
  /** Beyond the limit there may be more with the value of the last one within it. */
  mayTie: boolean;
  chart?: ChartKind | 'any';
  isReport: boolean;
  notes: string[];
}
