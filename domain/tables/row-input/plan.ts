import { AppError, ValidationError, type ValidationFault } from '../../../data/errors.ts';
import type { JsonValue } from '../../../data/exact-json.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { columnNameFault, createdAtColumn, deletedField, rowIdColumn } from '../tables/column-name.ts';
import type { LakeColumn } from '../tables/columns.ts';
import { LossyWidening } from '../tables/retype.ts';
import { type Encoder, encoderOf } from './encode.ts';
import { inferTypes } from './infer.ts';
import { fitsInt64, integerOf } from './types.ts';

export type Row = { [column: string]: JsonValue };

/** Rows that fit the table, as the text the engine reads, and the column types that must change for them. */
export interface WritePlan {
  /** The s_ids of the rows that have one. */
  rowIds: bigint[];
  /** One JSON object per row: `{"c0": …}` by position in `columns`; nulls are left out. */
  rowTexts: string[];
  /** Columns the rows may use, in table order, with new ones last; excludes the created-at column. */
  columns: LakeColumn[];
  retypes: Map<string, string>;
  /** The first row that required each of those types. */
  retypedAt: Map<string, number>;
}

export interface PlanOptions {
  /** The member of the request that contains the rows, for the place of a fault. */
  list: 'rows' | 'records';
  /** Columns that every row must have even if the table allows null: the business key. */
  keys: readonly string[];
  /** Whether a row may omit its s_id; required by default. */
  rowIds?: 'required' | 'optional';
  /** What to do with a field that is not a column. */
  newFields: 'refuse' | 'add' | 'ignore';
  /** Checking ends when this many faults are found. */
  maxFaults: number;
}

/** Maximum number of faults reported for a request, and looked for in one row. */
export const maxFaults = 20;
/** Maximum number of columns a table may reach through new fields. */
export const maxColumns = limits.tables.columns.most;

/** Checks one request's rows against the current table; throws with at most 20 faults, each at its place. */
export function planRows(
  tableColumns: readonly LakeColumn[],
  rows: readonly Row[],
  keys: readonly string[] = [],
  rowIds: 'required' | 'optional' = 'required',
): WritePlan {
  const options = { list: 'rows', keys, rowIds, newFields: 'refuse', maxFaults } as const;
  const { plan, faults } = assessRows(tableColumns, rows, options);
  if (faults.length > 0) throw new ValidationError(faults.slice(0, maxFaults));
  return plan;
}

interface Target {
  encode: Encoder;
  position: number;
  nullable: boolean;
}

/** The rows that fit, and every fault of those that do not, at `["body", list, index, column]`. */
export function assessRows(
  tableColumns: readonly LakeColumn[],
  rows: readonly Row[],
  options: PlanOptions,
): { plan: WritePlan; faults: ValidationFault[] } {
  const columns = tableColumns.filter((column) => column.name !== createdAtColumn);
  if (options.newFields === 'add') columns.push(...newColumns(columns, rows));
  /** By row, the values that fit no type, by column. */
  const untyped = new Map<number, Map<string, string>>();
  const inferred = inferTypes(
    columns,
    rows,
    (index, column, msg) => {
      const ofRow = untyped.get(index) ?? new Map<string, string>();
      untyped.set(index, ofRow.size < maxFaults ? ofRow.set(column, msg) : ofRow);
    },
    // A row that is refused anyway does not affect types.
    (index) => !isFault(rowIdOf(rows[index]!, options.rowIds)),
  );
  const retypes = new Map([...inferred].map(([name, { dataType }]) => [name, dataType]));
  const retypedAt = new Map([...inferred].map(([name, { index }]) => [name, index]));
  const targets = new Map<string, Target>();
  for (const [position, column] of columns.entries()) {
    const encode = encoderOf(retypes.get(column.name) ?? column.dataType);
    if (encode === undefined) {
      throw new AppError(
        'not_appendable',
        `Column ${column.name} has the type ${column.dataType}. Rows sent as JSON cannot have values of this type.`,
      );
    }
    targets.set(column.name, {
      encode,
      position,
      nullable: column.nullable && !options.keys.includes(column.name),
    });
  }
  const required = [
    ...columns.map(({ name }) => name).filter((name) => name !== rowIdColumn && !targets.get(name)!.nullable),
    ...options.keys.filter((key) => !targets.has(key)),
  ];
  const plan: WritePlan = { rowIds: [], rowTexts: [], columns, retypes, retypedAt };
  const faults: ValidationFault[] = [];
  for (const [index, row] of rows.entries()) {
    if (faults.length >= options.maxFaults) break;
    const encoded = encodeRow(row, index, untyped.get(index), targets, required, options);
    if (Array.isArray(encoded)) faults.push(...encoded);
    else {
      if (encoded.rowId !== undefined) plan.rowIds.push(encoded.rowId);
      plan.rowTexts.push(encoded.text);
    }
  }
  return { plan, faults };
}

const needsValue = 'A key column must have a value.';

function encodeRow(
  row: Row,
  index: number,
  untyped: ReadonlyMap<string, string> | undefined,
  targets: ReadonlyMap<string, Target>,
  required: readonly string[],
  options: PlanOptions,
): { rowId: bigint | undefined; text: string } | ValidationFault[] {
  const faults: ValidationFault[] = [];
  const refuse = (column: string, msg: string, type: string) =>
    faults.push({ loc: ['body', options.list, index, column], msg, type });
  const isKey = (name: string) => options.keys.includes(name);
  // A row that is to go needs nothing but what it is found by.
  const isDeleted = targets.has(deletedField) && row[deletedField] === true;
  const rowId = rowIdOf(row, options.rowIds);
  if (isFault(rowId)) refuse(rowIdColumn, rowId.msg, rowId.type);
  let text = '';
  for (const name of Object.keys(row)) {
    if (faults.length >= maxFaults) break;
    const value = row[name]!;
    const target = targets.get(name);
    const fault = untyped?.get(name);
    if (fault !== undefined) refuse(name, fault, 'value_error');
    else if (target === undefined) {
      const fault = fieldFault(name, value, options);
      if (fault !== undefined) refuse(name, fault, 'extra_forbidden');
    } else if (value === null) {
      if (!target.nullable && name !== rowIdColumn && (isKey(name) || !isDeleted))
        refuse(name, isKey(name) ? needsValue : "The column isn't nullable.", 'value_error');
    } else if (name !== rowIdColumn || !isFault(rowId)) {
      const encoded = target.encode(value);
      if ('fault' in encoded) refuse(name, encoded.fault, 'value_error');
      else text += `${text === '' ? '' : ','}"c${target.position}":${encoded.text}`;
    }
  }
  for (const name of required) {
    if (faults.length >= maxFaults) break;
    if (!Object.hasOwn(row, name) && (isKey(name) || !isDeleted))
      refuse(
        name,
        isKey(name) ? needsValue : "The column isn't nullable, but the row has no value for it.",
        'missing',
      );
  }
  return faults.length > 0 || isFault(rowId) ? faults : { rowId, text: `{${text}}` };
}

/** Why a field that is not a column is refused; undefined if it may be ignored. */
function fieldFault(name: string, value: JsonValue, { newFields }: PlanOptions): string | undefined {
  if (name === createdAtColumn) return 'The service fills this column itself. Omit it.';
  if (newFields === 'ignore' || (newFields === 'add' && value === null)) return undefined;
  if (newFields === 'refuse') return 'The table has no column with this name.';
  return (
    columnNameFault(name) ??
    `The field cannot become a column. A column with this name already exists (ignoring case), or the table already has ${maxColumns} columns.`
  );
}

/** A column for each field with a value that can become one; if names differ only in case, the first wins. */
function newColumns(columns: readonly LakeColumn[], rows: readonly Row[]): LakeColumn[] {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const known = new Set(columns.map(({ name }) => name));
  const added: LakeColumn[] = [];
  for (const row of rows) {
    for (const name of Object.keys(row)) {
      if (known.has(name) || row[name] === null || columns.length + added.length >= maxColumns) continue;
      if (taken.has(name.toLowerCase()) || columnNameFault(name) !== undefined) continue;
      known.add(name);
      taken.add(name.toLowerCase());
      added.push({ name, dataType: 'STRING', nullable: true, typing: 'undetermined' });
    }
  }
  return added;
}

interface RowIdFault {
  msg: string;
  type: string;
}

const isFault = (rowId: bigint | undefined | RowIdFault): rowId is RowIdFault => typeof rowId === 'object';

function rowIdOf(row: Row, needed: PlanOptions['rowIds'] = 'required'): bigint | undefined | RowIdFault {
  const value = Object.hasOwn(row, rowIdColumn) ? row[rowIdColumn] : undefined;
  if (value === undefined && needed === 'optional') return undefined;
  if (value === undefined)
    return { msg: 'Field required: every row needs an integer s_id.', type: 'missing' };
  const integer = value === null ? undefined : integerOf(value);
  if (integer === undefined || !fitsInt64(integer)) {
    return { msg: 's_id must be a 64-bit integer.', type: 'int_type' };
  }
  return integer;
}

/** The valid s_ids of rows not checked yet. */
export function readRowIds(rows: readonly Row[]): bigint[] {
  return rows.map((row) => rowIdOf(row)).filter((id) => typeof id === 'bigint');
}

/**
 * Places an error about a widening that only the stored data showed to be lossy at the first row that
 * required it.
 */
export function atItsRow(error: unknown, retypedAt: ReadonlyMap<string, number>): unknown {
  if (!(error instanceof LossyWidening)) return error;
  const { column, message } = error;
  return new ValidationError([
    { loc: ['body', 'rows', retypedAt.get(column) ?? 0, column], msg: message, type: 'value_error' },
  ]);
}
