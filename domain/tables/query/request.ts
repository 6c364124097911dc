import type { PlainTable } from '../../../data/lake/ducklake/table-layout.ts';
import type { LakeLocation } from '../../../data/lake/location.ts';
import type { RowFormat } from '../../../packages/row-formats/index.ts';
import type { Parameter, Relation } from '../../../packages/sql-guard/index.ts';

/** A table or view a statement may name. */
export interface QueryRelation extends Relation {
  /** All that a view may name, whatever the statement may; absent if it may name the same. */
  reads?: readonly QueryRelation[];
  /** Of a view: that it reads tables by the rights of who defined it which the caller may not read. */
  readsFurther?: boolean;
}

/**
 * The value of one cell, as passed to a statement as a parameter. Numbers keep their digits, and what has a
 * type of its own is its text in an answer, with the type's name there.
 */
export type CellValue = string | boolean | null | { number: string } | { text: string; dataType: string };

/** A parameter of the engine. */
export type QueryParameter = Parameter & { value: CellValue };

/** The value of a placeholder: a cell value, or a table by its name. */
export type SqlValue = CellValue | { table: string };

/** By placeholder as written in the statement: `${params.since}`. */
export type SqlValues = ReadonlyMap<string, SqlValue>;

/**
 * A statement some or all of whose tables are read by their files, as of one snapshot. Its relations name the
 * tables by their keys.
 */
export interface PlainReading<Table = PlainTable> {
  tables: readonly Table[];
  /** The lake's newest snapshot when they were looked up; undefined if DuckLake reads all of the lake. */
  snapshotId: number | undefined;
  /** How each table is read and why, by id; an EXPLAIN tells it. */
  ways: ReadonlyMap<string, string>;
}

/** Where a statement reads; the catalog is left out where it reads no table through it. */
export type ReadingLocation = Omit<LakeLocation, 'catalog'> & Partial<Pick<LakeLocation, 'catalog'>>;

export type OnlyCheck = 'form' | 'names';

export interface QueryRequest {
  /** The lake; its catalog user can read only this organization's schema. */
  location: ReadingLocation;
  plain?: PlainReading | undefined;
  /** Every relation of the organization; no other exists for the statement. */
  relations: readonly QueryRelation[];
  sql: string;
  /** Each occurs in `sql` as `$name`; parameters written in the statement itself have no values. */
  parameters?: readonly QueryParameter[];
  /** Relations that it must read, by the placeholders written for them. */
  tableSources?: readonly string[];
  limit: number;
  timeoutMs: number;
  rowFormat: RowFormat;
  /** Relation name to the snapshot it is read at; a view reads all its tables there. */
  atVersions: ReadonlyMap<string, number>;
  /**
   * What is done instead of running it: `form` checks it whatever tables exist, and returns their names;
   * `names` also has the engine find the tables, columns and functions that it names.
   */
  onlyCheck?: OnlyCheck | undefined;
  /** Aborted when the client disconnects; the statement is interrupted. */
  signal?: AbortSignal;
}

export interface QueryAnswer {
  /** The statement's own names, duplicates kept. */
  columns: { name: string; dataType: string }[];
  /** JSON text of `[{camelCased: value}, …]`; if names collide, the last wins. */
  rowsJson: string | undefined;
  /** JSON text of `[[{name, value}, …], …]`. */
  rowsWithColumnOrderJson: string | undefined;
  rowCount: number;
  truncated: boolean;
  elapsedMs: number;
  /** Tables and views read, including the tables behind a view. */
  scannedRelationIds: string[];
  /** For a statement that was only checked: every table it names, whether or not it exists. */
  namedTables?: string[];
  /** The lake's newest snapshot when the statement started, which all of it read; 0 if it read none. */
  snapshotId: number;
}
