import { ValidationError, type ValidationFault } from '../../../data/errors.ts';
import {
  type ColumnMapping,
  loadDateColumn,
  type PreviewColumn,
  parseDataType,
  typeName,
} from '../../../packages/file-reader/index.ts';
import { createdAtColumn, rowIdColumn } from '../../tables/tables/column-name.ts';
import type { LakeColumn } from '../../tables/tables/columns.ts';

/** A table that a file is appended to; the columns of an enforced key are not nullable. */
export interface AppendTarget {
  kind: 'data' | 'import';
  columns: readonly LakeColumn[];
}

const at = ['body', 'column_mappings'];
const maxNamed = 10;

/**
 * Maps a file's columns to those of a table by name, ignoring case, with the table's types.
 *
 * @throws ValidationError naming the columns that only one of the two has
 */
export function mappingsByName(target: AppendTarget, found: readonly PreviewColumn[]): ColumnMapping[] {
  const fillable = fillableColumns(target);
  const foreign: string[] = [];
  const mappings = found.flatMap(({ sourceName, targetName, dateFormat }): ColumnMapping[] => {
    const column = fillable.find(({ name }) => name.toLowerCase() === targetName.toLowerCase());
    if (column === undefined) {
      foreign.push(sourceName);
      return [];
    }
    return [
      {
        sourceColumnName: sourceName,
        targetColumnName: column.name,
        dataType: column.dataType,
        unique: false,
        nullable: column.nullable,
        required: true,
        ...(dateFormat === undefined ? {} : { dateFormat }),
      },
    ];
  });
  const faults: ValidationFault[] = [];
  if (foreign.length > 0)
    faults.push(
      fault(
        at,
        `The table doesn't have these columns of the file: ${named(foreign)}. List the columns to import in column_mappings.`,
      ),
    );
  faults.push(...missingFaults(target, mappings), ...typeFaults(fillable, mappings));
  if (faults.length > 0) throw new ValidationError(faults);
  return mappings;
}

/**
 * The given mappings, without nulls for columns that are not nullable.
 *
 * @throws ValidationError at each mapping that does not fit the table
 */
export function fittingMappings(target: AppendTarget, mappings: readonly ColumnMapping[]): ColumnMapping[] {
  const fillable = fillableColumns(target);
  const faults: ValidationFault[] = [];
  const fitting = mappings.map((mapping, index) => {
    const column = fillable.find(({ name }) => name === mapping.targetColumnName);
    const type = parseDataType(mapping.dataType);
    if (column === undefined)
      faults.push(
        fault(
          [...at, index, 'target_column_name'],
          'The table has no column with this name that a file can fill.',
        ),
      );
    else if (column.typing === 'undetermined')
      faults.push(fault([...at, index, 'target_column_name'], undecided(column.name)));
    else if ('fault' in type || typeName(type) !== column.dataType)
      faults.push(fault([...at, index, 'data_type'], `The column has the type ${column.dataType}.`));
    return { ...mapping, nullable: mapping.nullable && column?.nullable !== false };
  });
  faults.push(...missingFaults(target, mappings));
  if (faults.length > 0) throw new ValidationError(faults);
  return fitting;
}

/** All columns except those that the service fills. */
function fillableColumns({ kind, columns }: AppendTarget): readonly LakeColumn[] {
  return columns.filter(({ name }) => (kind === 'data' ? name !== createdAtColumn : name !== loadDateColumn));
}

function missingFaults(target: AppendTarget, mappings: readonly ColumnMapping[]): ValidationFault[] {
  const given = new Set(mappings.map(({ targetColumnName }) => targetColumnName));
  const missing = fillableColumns(target)
    .filter(({ name, nullable }) => !nullable && !given.has(name))
    .map(({ name }) => name);
  if (missing.length === 0) return [];
  const why = missing.includes(rowIdColumn) ? ' Each row of a data table needs its own s_id.' : '';
  return [
    fault(
      at,
      `These columns of the table don't allow nulls, but the file has no values for them: ${named(missing)}.${why}`,
    ),
  ];
}

/** Columns whose type is not yet determined, or that no mapping can name. */
function typeFaults(columns: readonly LakeColumn[], mappings: readonly ColumnMapping[]): ValidationFault[] {
  const targets = mappings.map(
    ({ targetColumnName }) => columns.find(({ name }) => name === targetColumnName)!,
  );
  const open = targets.find(({ typing }) => typing === 'undetermined');
  if (open !== undefined) return [fault(at, undecided(open.name))];
  const odd = targets.filter(({ dataType }) => 'fault' in parseDataType(dataType));
  if (odd.length === 0) return [];
  const types = odd.map(({ name, dataType }) => `${name} (${dataType})`);
  return [fault(at, `A file can't fill columns of these types: ${named(types)}.`)];
}

const undecided = (name: string) =>
  `The column ${JSON.stringify(name)} has no type yet. Set one with PATCH /v1/grid/tables/{id}/columns/{name}.`;

const fault = (loc: (string | number)[], msg: string): ValidationFault => ({ loc, msg, type: 'value_error' });

function named(names: readonly string[]): string {
  const more = names.length > maxNamed ? `, and ${names.length - maxNamed} more` : '';
  return (
    names
      .slice(0, maxNamed)
      .map((name) => JSON.stringify(name))
      .join(', ') + more
  );
}
