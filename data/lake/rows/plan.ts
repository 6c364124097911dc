import { AppError, ValidationError, type ValidationFault } from '../../errors.ts';
import type { JsonValue } from '../../exact-json.ts';
import type { LakeColumn } from '../columns.ts';
import { type Encoder, encoderOf } from './encode.ts';
import { LossyWidening } from './retype.ts';
import { fitsInt64, integerOf, isSafeInDouble, typeOfValue, widen } from './types.ts';

export type Row = { [column: string]: JsonValue };

/** The automatic columns of a data table. */
export const rowIdColumn = 's_id';
export const createdAtColumn = '_sm_created_at';

/** Rows that fit the table, as the text the engine reads; and the types that must change for them. */
export interface WritePlan {
  rowIds: bigint[];
  /** One JSON object a row: `{"c0": …}` by position in `columns`; nulls are left out. */
  rowTexts: string[];
  /** Columns the rows use, in table order; the created-at column is not one of them. */
  columns: LakeColumn[];
  retypes: Map<string, string>;
}

const maxFaults = 20;

/** Checks one request's rows against the table as it stands; throws with at most 20 faults, each at its place. */
export function planRows(tableColumns: readonly LakeColumn[], rows: readonly Row[]): WritePlan {
  const faults: ValidationFault[] = [];
  const columns = tableColumns.filter((column) => column.name !== createdAtColumn);
  const retypes = inferTypes(columns, rows, faults);
  const encoders = new Map<string, { encode: Encoder; position: number; nullable: boolean }>();
  for (const [position, column] of columns.entries()) {
    const encode = encoderOf(retypes.get(column.name) ?? column.dataType);
    if (encode === undefined) {
      throw new AppError(
        'not_appendable',
        `Column ${column.name} has the type ${column.dataType}, which rows cannot carry.`,
      );
    }
    encoders.set(column.name, { encode, position, nullable: column.nullable });
  }
  const required = columns.filter((column) => !column.nullable && column.name !== rowIdColumn);
  const plan: WritePlan = { rowIds: [], rowTexts: [], columns, retypes };
  for (const [index, row] of rows.entries()) {
    if (faults.length >= maxFaults) break;
    encodeRow(plan, row, index, encoders, required, faults);
  }
  if (faults.length > 0) throw new ValidationError(faults.slice(0, maxFaults));
  return plan;
}

function encodeRow(
  plan: WritePlan,
  row: Row,
  index: number,
  encoders: ReadonlyMap<string, { encode: Encoder; position: number; nullable: boolean }>,
  required: readonly LakeColumn[],
  faults: ValidationFault[],
): void {
  const at = (column: string) => ['body', 'rows', index, column];
  const rowId = rowIdOf(row);
  if (typeof rowId === 'bigint') plan.rowIds.push(rowId);
  else faults.push({ loc: at(rowIdColumn), ...rowId });
  let text = '';
  for (const name of Object.keys(row)) {
    const value = row[name]!;
    const column = encoders.get(name);
    if (column === undefined) {
      const msg =
        name === createdAtColumn
          ? 'This column is automatic; leave it out.'
          : 'The table has no such column.';
      faults.push({ loc: at(name), msg, type: 'extra_forbidden' });
    } else if (value === null) {
      if (!column.nullable && name !== rowIdColumn) {
        faults.push({ loc: at(name), msg: 'The column is not nullable.', type: 'value_error' });
      }
    } else if (name !== rowIdColumn || typeof rowId === 'bigint') {
      const encoded = column.encode(value);
      if ('fault' in encoded) faults.push({ loc: at(name), msg: encoded.fault, type: 'value_error' });
      else text += `${text === '' ? '' : ','}"c${column.position}":${encoded.text}`;
    }
  }
  for (const column of required) {
    if (!Object.hasOwn(row, column.name)) {
      faults.push({
        loc: at(column.name),
        msg: 'The column is not nullable and has no value.',
        type: 'missing',
      });
    }
  }
  plan.rowTexts.push(`{${text}}`);
}

function rowIdOf(row: Row): bigint | { msg: string; type: string } {
  const value = Object.hasOwn(row, rowIdColumn) ? row[rowIdColumn] : undefined;
  if (value === undefined)
    return { msg: 'Field required: every row carries its integer s_id.', type: 'missing' };
  const integer = value === null ? undefined : integerOf(value);
  if (integer === undefined || !fitsInt64(integer)) {
    return { msg: 's_id must be a 64-bit integer.', type: 'int_type' };
  }
  return integer;
}

/** The valid s_ids of rows that are not checked yet. */
export function readRowIds(rows: readonly Row[]): bigint[] {
  return rows.map(rowIdOf).filter((id) => typeof id === 'bigint');
}

/** A widening that only the stored data showed to be lossy, at the first row that asked for it. */
export function atItsRow(error: unknown, rows: readonly Row[]): unknown {
  if (!(error instanceof LossyWidening)) return error;
  const { column, message } = error;
  const index = rows.findIndex((row) => {
    const value = Object.hasOwn(row, column) ? row[column]! : null;
    return value !== null && typeOfValue(value) === 'DOUBLE';
  });
  return new ValidationError([
    { loc: ['body', 'rows', Math.max(0, index), column], msg: message, type: 'value_error' },
  ]);
}

/** The types that undetermined columns take and inferred ones widen to, so that every value of the rows fits. */
function inferTypes(
  columns: readonly LakeColumn[],
  rows: readonly Row[],
  faults: ValidationFault[],
): Map<string, string> {
  const retypes = new Map<string, string>();
  for (const column of columns) {
    if (column.typing === 'declared') continue;
    const before = column.typing === 'undetermined' ? undefined : column.dataType;
    let type = before;
    let unsafeInteger: number | undefined;
    for (const [index, row] of rows.entries()) {
      const value = Object.hasOwn(row, column.name) ? row[column.name]! : null;
      if (value === null) continue;
      const own = typeOfValue(value);
      if (own === 'INTEGER' && !isSafeInDouble(integerOf(value)!)) unsafeInteger = index;
      if (own === undefined && type !== undefined) continue;
      const wider = own === undefined ? undefined : type === undefined ? own : (widen(type, own) ?? type);
      if (wider === undefined || (wider === 'DOUBLE' && unsafeInteger !== undefined)) {
        faults.push({
          loc: ['body', 'rows', unsafeInteger ?? index, column.name],
          msg: 'No inferred type holds this number exactly; declare the column as DECIMAL(p,s) first.',
          type: 'value_error',
        });
        break;
      }
      type = wider;
    }
    if (type !== undefined && type !== before) retypes.set(column.name, type);
  }
  return retypes;
}
