import { AppError } from '../../../data/errors.ts';
import { maxColumns } from '../../tables/row-input/plan.ts';
import { type InferredType, widen } from '../../tables/row-input/types.ts';
import { createdAtColumn, deletedField } from '../../tables/tables/column-name.ts';
import type { LakeColumn } from '../../tables/tables/columns.ts';
import type { StagedPage } from './staged-pages.ts';

/** The table after the batch: its columns, retyped if their type was open, followed by new ones. */
export interface TargetColumns {
  /** All columns in order, with their types after the batch; the created-at column keeps its position. */
  columns: LakeColumn[];
  /** Columns of the table whose type the batch determines or widens. */
  retypes: Map<string, string>;
  added: LakeColumn[];
  /** Columns widened from INTEGER to DOUBLE: their integers must be within ±2^53. */
  narrowed: string[];
}

/** The types of a column in the pages, each with the first page that has it, in page order. */
type Seen = Map<string, number>;

/**
 * Checks the pages, each of which was validated against the table at that time, against the current table:
 * types may have been determined or widened since, by other pages or other writers.
 *
 * @throws AppError conflict
 */
export function targetColumns(
  table: readonly LakeColumn[],
  pages: readonly StagedPage[],
  addsFields: boolean,
): TargetColumns {
  const { seen, known } = seenTypes(pages);
  if (!table.some(({ name }) => name === deletedField)) seen.delete(deletedField);
  const target: TargetColumns = { columns: [], retypes: new Map(), added: [], narrowed: [] };
  for (const column of table) {
    const types = seen.get(column.name);
    seen.delete(column.name);
    if (!column.nullable && column.name !== createdAtColumn) requireInEvery(column.name, pages);
    const dataType = types === undefined ? column.dataType : typeAfter(column, types, target);
    const isChanged =
      dataType !== column.dataType || (column.typing === 'undetermined' && types !== undefined);
    if (isChanged) target.retypes.set(column.name, dataType);
    target.columns.push(isChanged ? { ...column, dataType, typing: 'inferred' } : column);
  }
  const names = new Set(table.map(({ name }) => name.toLowerCase()));
  for (const [name, types] of seen) {
    const [[, page] = ['', 0]] = types;
    if (!addsFields || known.has(name) || names.has(name.toLowerCase())) {
      throw conflict(`Page ${page} has the column ${JSON.stringify(name)}, which the table no longer has.`);
    }
    names.add(name.toLowerCase());
    const column: LakeColumn = { name, dataType: 'STRING', nullable: true, typing: 'undetermined' };
    const added: LakeColumn = { ...column, dataType: typeAfter(column, types, target), typing: 'inferred' };
    target.added.push(added);
    target.columns.push(added);
    if (target.columns.length > maxColumns)
      throw conflict(
        `With the new fields of these pages, the table would have more than ${maxColumns} columns.`,
      );
  }
  return target;
}

/** The types of each column, and the names that were columns of the table when a page was staged. */
function seenTypes(pages: readonly StagedPage[]): { seen: Map<string, Seen>; known: Set<string> } {
  const seen = new Map<string, Seen>();
  const known = new Set<string>();
  for (const page of pages) {
    for (const { name, dataType, isNew } of pageColumns(page)) {
      const types = seen.get(name) ?? new Map<string, number>();
      if (!types.has(dataType)) types.set(dataType, page.page_number);
      seen.set(name, types);
      if (isNew !== true) known.add(name);
    }
  }
  return { seen, known };
}

/** The columns that have a value in the page, with their types in its Parquet file. */
export function pageColumns(page: StagedPage): { name: string; dataType: string; isNew?: boolean }[] {
  return page.columns as { name: string; dataType: string; isNew?: boolean }[];
}

/** Rejects pages without a key column of the upsert: the key was changed after they were staged. */
export function requireKeys(keys: readonly string[], pages: readonly StagedPage[]): void {
  for (const page of pages) {
    if (page.records === 0) continue;
    const names = new Set(pageColumns(page).map(({ name }) => name));
    const missing = keys.find((key) => !names.has(key));
    if (missing === undefined) continue;
    throw conflict(
      `The key column ${JSON.stringify(missing)} isn't in page ${page.page_number}, because the key changed after the page was staged.`,
    );
  }
}

/** Pages that delete rows were checked record by record. */
function requireInEvery(name: string, pages: readonly StagedPage[]): void {
  const without = pages.find(
    (page) =>
      page.records > 0 &&
      !pageColumns(page).some((column) => column.name === name || column.name === deletedField),
  );
  if (without === undefined) return;
  throw conflict(
    `Column ${JSON.stringify(name)} doesn't allow nulls, but page ${without.page_number} was staged before the column existed.`,
  );
}

function typeAfter(column: LakeColumn, types: Seen, target: TargetColumns): string {
  let type = column.typing === 'undetermined' ? undefined : column.dataType;
  for (const [own, page] of types) {
    const wider = type === undefined || type === own ? own : wideningOf(column, type, own);
    if (wider === undefined) {
      throw conflict(
        `Column ${JSON.stringify(column.name)} has the type ${type}, but ${own} in page ${page}. Send one type, or retype the column and stage the pages again.`,
      );
    }
    type = wider;
  }
  if (type === 'DOUBLE' && (types.has('INTEGER') || column.dataType === 'INTEGER'))
    target.narrowed.push(column.name);
  return type ?? column.dataType;
}

function wideningOf(column: LakeColumn, type: string, own: string): string | undefined {
  if (column.typing !== 'declared') return widen(type, own as InferredType);
  return isHeldBy(own, type) ? type : undefined;
}

/** Whether a declared type represents every validated value of another type exactly. */
function isHeldBy(from: string, to: string): boolean {
  if (from === 'INTEGER') return to === 'DOUBLE' || /^DECIMAL\(\d+,\d+\)$/.test(to);
  const [narrow, wide] = [decimalOf(from), decimalOf(to)];
  if (narrow === undefined || wide === undefined) return false;
  return wide.scale >= narrow.scale && wide.whole >= narrow.whole;
}

function decimalOf(type: string): { whole: number; scale: number } | undefined {
  const match = /^DECIMAL\((\d+),(\d+)\)$/.exec(type);
  return match === null ? undefined : { whole: Number(match[1]) - Number(match[2]), scale: Number(match[2]) };
}

function conflict(message: string): AppError {
  return new AppError('conflict', message);
}
