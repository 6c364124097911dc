import { z } from 'zod';
import { ValidationError } from '../../../data/errors.ts';
import { isRawNumber, type JsonValue, type RawNumber } from '../../../data/exact-json.ts';
import { faultsOf } from '../../../data/validation-faults.ts';

/** A value of a column as a request gives it. Numbers keep their digits. */
export type Cell = string | number | boolean | RawNumber;

const isCell = (value: unknown): value is Cell =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  isRawNumber(value);

const column = z.string().min(1).max(255);
const columns = z.array(column).min(1).max(50);
const rows = z.int().min(0);

/** The parameters of each kind of test. */
const shapes = {
  /** Every one of these columns has a value in every row. */
  not_null: { columns },
  /** No two rows have the same values in these columns; rows without one of them are left out. */
  unique: { columns },
  /** The column has one of these values, or none. */
  accepted_values: {
    column,
    values: z
      .array(z.custom<Cell>(isCell, { error: 'Input should be a string, number or boolean' }))
      .min(1)
      .max(1_000),
  },
  /** Some row of the other table has these values; rows without one of them are left out. */
  relationship: { columns, to_table_id: z.string().min(1).max(255), to_columns: columns },
  /** How many rows there are, and by what share of them the version before may differ. */
  row_count: {
    min: rows.optional(),
    max: rows.optional(),
    max_change_ratio: z.number().min(0).max(1_000_000).optional(),
  },
  /** The newest time of the column, or of the table's last version, is at most so old. */
  freshness: { column: column.optional(), max_age_seconds: z.number().min(0).max(3_155_760_000) },
  /** True for every row; null is not. */
  expression: { expression: z.string().min(1).max(10_000) },
  /** A SELECT of the failing rows, in which the tested table is called `this`. */
  sql: { sql: z.string().min(1).max(100_000) },
} as const;

export type TestKind = keyof typeof shapes;
export const testKinds = Object.keys(shapes) as TestKind[];

/** Parameters of a kind, all of them. */
export type ParamsOf<Kind extends TestKind> = z.infer<z.ZodObject<(typeof shapes)[Kind]>>;

/** A test as it is compiled: a kind with its parameters. */
export type Test = { [Kind in TestKind]: { kind: Kind; params: ParamsOf<Kind> } }[TestKind];

export type Params = Record<string, JsonValue>;

/** What fields cannot say alone; the name of the field at which it is reported. */
function conflictIn(test: Test): { field: string; message: string } | undefined {
  if (test.kind === 'relationship') {
    const { columns: from, to_columns: to } = test.params;
    if (from.length !== to.length)
      return {
        field: 'to_columns',
        message: '`to_columns` must have as many columns as `columns`, in the same order.',
      };
  }
  if (test.kind === 'row_count') {
    const { min, max, max_change_ratio: ratio } = test.params;
    if (min === undefined && max === undefined && ratio === undefined)
      return { field: 'min', message: 'Set at least one of min, max and max_change_ratio.' };
    if (min !== undefined && max !== undefined && max < min)
      return { field: 'max', message: '`max` must not be less than `min`.' };
  }
  return undefined;
}

/** Reads all parameters of a kind. @throws ValidationError below `loc` */
export function readTest(kind: TestKind, params: Params, loc: readonly (string | number)[]): Test {
  const read = z.strictObject(shapes[kind] as z.ZodRawShape).safeParse(params, { reportInput: true });
  if (!read.success) throw new ValidationError(faultsOf(read.error.issues, loc));
  const test = { kind, params: read.data } as Test;
  const conflict = conflictIn(test);
  if (conflict === undefined) return test;
  throw new ValidationError([{ loc: [...loc, conflict.field], msg: conflict.message, type: 'value_error' }]);
}

/** Checks some parameters of a kind, as an overlay changes them. @throws ValidationError below `loc` */
export function checkSomeParams(kind: TestKind, params: Params, loc: readonly (string | number)[]): void {
  const read = z
    .strictObject(shapes[kind] as z.ZodRawShape)
    .partial()
    .safeParse(params, { reportInput: true });
  if (!read.success) throw new ValidationError(faultsOf(read.error.issues, loc));
}
