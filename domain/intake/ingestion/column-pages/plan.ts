import { identifier } from '../../../../data/lake/sql.ts';
import { encoderOf } from '../../../tables/row-input/encode.ts';
import type { PageRules } from '../../../tables/row-input/page/page.ts';
import { maxColumns } from '../../../tables/row-input/plan.ts';
import { type InferredType, widen } from '../../../tables/row-input/types.ts';
import {
  columnNameFault,
  createdAtColumn,
  deletedField,
  rowIdColumn,
} from '../../../tables/tables/column-name.ts';
import { duckDbType, type LakeColumn } from '../../../tables/tables/columns.ts';
import { type Fit, fitOf } from './fits.ts';
import type { PageColumnSource } from './source.ts';

/** A reason for which records don't fit. */
export interface PageFault {
  column: string;
  /** SQL that is true for these records. */
  where: string;
  msg: string;
  type: string;
  /** SQL for the value, which the message begins with. */
  text?: string;
}

/** A type that a column of the page can be written in. */
export interface Choice {
  dataType: string;
  /** SQL. */
  value: string;
  faults: PageFault[];
}

export interface PlannedColumn {
  name: string;
  source: PageColumnSource;
  /** In order: the first one that all values fit is taken, else the last one. */
  choices: Choice[];
  isNew: boolean;
}

export interface ColumnPlan {
  columns: PlannedColumn[];
  /** Faults that don't depend on a choice. */
  faults: PageFault[];
}

/** Compares the columns of a page with those of its table, by the batch's rules. */
export function planColumns(
  tableColumns: readonly LakeColumn[],
  sources: readonly PageColumnSource[],
  rules: PageRules,
): ColumnPlan {
  const table = new Map(tableColumns.filter(isWritten).map((column) => [column.name, column]));
  const taken = new Set([...table.keys()].map((name) => name.toLowerCase()));
  const plan: ColumnPlan = { columns: [], faults: [] };
  for (const source of sources) {
    const column = table.get(source.name);
    if (column !== undefined) plan.columns.push(known(column, source));
    else addUnknown(plan, source, rules, taken);
  }
  const byName = new Map(plan.columns.map((column) => [column.name, column]));
  const flag = byName.get(deletedField);
  const isDeleted = flag === undefined ? 'false' : `coalesce(${flag.choices[0]!.value}, false)`;
  for (const { name, nullable } of table.values()) {
    const isKey = rules.keys.includes(name);
    if (name !== rowIdColumn && (isKey || !nullable))
      plan.faults.push(required(name, byName.get(name)?.source, isKey ? 'false' : isDeleted, isKey));
  }
  for (const key of rules.keys)
    if (!table.has(key)) plan.faults.push(required(key, undefined, 'false', true));
  const id = byName.get(rowIdColumn);
  plan.faults.push({
    column: rowIdColumn,
    where: id === undefined ? 'true' : `${id.source.value} IS NULL`,
    ...(id === undefined
      ? { msg: 'Field required: every row needs an integer s_id.', type: 'missing' }
      : { msg: 's_id must be a 64-bit integer.', type: 'int_type' }),
  });
  return plan;
}

const isWritten = ({ name }: LakeColumn): boolean => name !== createdAtColumn;

/** The flag is read as a Boolean, whatever its type: any other type doesn't fit. */
function known(column: LakeColumn, source: PageColumnSource): PlannedColumn {
  return { name: column.name, source, isNew: false, choices: typesOf(column, source).map(choice(source)) };
}

/** The types that a column of the table may have with these values. */
function typesOf({ typing, dataType }: LakeColumn, source: PageColumnSource): string[] {
  if (typing === 'undetermined') return [source.dataType];
  const wider = typing === 'inferred' ? widen(dataType, source.dataType as InferredType) : undefined;
  return wider === undefined || wider === dataType ? [dataType] : [dataType, wider];
}

const choice =
  (source: PageColumnSource) =>
  (dataType: string): Choice => {
    const fit = encoderOf(dataType) === undefined ? undefined : fitOf(source, dataType);
    return {
      dataType,
      value: fit?.value ?? `CAST(NULL AS ${duckDbType(dataType)})`,
      faults: misfits(source, dataType, fit),
    };
  };

function misfits(source: PageColumnSource, dataType: string, fit: Fit | undefined): PageFault[] {
  const { name: column, dataType: own, value, text, losesNanoseconds } = source;
  if (fit === undefined) {
    const isHeld = encoderOf(own) !== undefined;
    const msg = isHeld
      ? `The column is ${own} in the page, but ${dataType} in the table.`
      : `A page cannot have values of the type ${own}. Write the column in another type.`;
    return [{ column, where: `${value} IS NOT NULL`, msg, type: 'value_error' }];
  }
  const faults: PageFault[] = [];
  const isNot = `isn't a value that the type ${dataType} of the column holds unchanged.`;
  if (fit.misfit !== undefined)
    faults.push({ column, where: fit.misfit, msg: isNot, type: 'value_error', text });
  if (losesNanoseconds !== undefined) {
    const msg = 'has nanoseconds, which the column would lose. Send microseconds.';
    faults.push({ column, where: `coalesce(${losesNanoseconds}, false)`, msg, type: 'value_error', text });
  }
  return faults;
}

function addUnknown(
  plan: ColumnPlan,
  source: PageColumnSource,
  { onNewField }: PageRules,
  taken: Set<string>,
): void {
  const { name, value } = source;
  const refuse = (msg: string, where: string) =>
    plan.faults.push({ column: name, where, msg, type: 'extra_forbidden' });
  if (name === createdAtColumn) refuse('The service fills this column itself. Omit it.', 'true');
  else if (onNewField === 'refuse') refuse('The table has no column with this name.', 'true');
  else if (onNewField === 'add') {
    const isFree = !taken.has(name.toLowerCase()) && taken.size < maxColumns;
    const fault =
      columnNameFault(name) ??
      (isFree
        ? undefined
        : `The field cannot become a column. A column with this name already exists (ignoring case), or the table already has ${maxColumns} columns.`);
    if (fault !== undefined) return void refuse(fault, `${value} IS NOT NULL`);
    taken.add(name.toLowerCase());
    plan.columns.push({ name, source, isNew: true, choices: [choice(source)(source.dataType)] });
  }
}

function required(
  name: string,
  source: PageColumnSource | undefined,
  isDeleted: string,
  isKey: boolean,
): PageFault {
  const isNull = source === undefined ? 'true' : `${identifier(name)} IS NULL`;
  const isMissing = source === undefined;
  return {
    column: name,
    where: `(${isNull} AND NOT ${isDeleted})`,
    msg: isKey
      ? 'A key column must have a value.'
      : isMissing
        ? "The column isn't nullable, but the row has no value for it."
        : "The column isn't nullable.",
    type: isMissing ? 'missing' : 'value_error',
  };
}
