import { BadFileError } from '../bad-file.ts';
import type { ColumnMapping, IsReserved, PreviewColumn, SourceColumn, StagedColumn } from '../contract.ts';
import { loadDateColumn } from '../options.ts';
import { columnNames, maxNameChars } from '../text/names.ts';
import type { TextTable } from '../text/table.ts';
import type { TextForm } from './cast.ts';
import { type DatePattern, parseDatePattern, shownPattern } from './date-pattern.ts';
import type { Certainty, InferredType } from './infer.ts';
import { type DataType, dataType, typeName } from './types.ts';

/** A column of the table to create. */
export interface PlannedColumn {
  /** Position in the file; undefined for an optional source column that the file lacks. */
  source: number | undefined;
  sourceName: string;
  name: string;
  type: DataType;
  nullable: boolean;
  unique: boolean;
  /** Certainty of an inferred type; undefined for a type from a mapping. */
  inferred: Certainty | undefined;
  form: TextForm;
}

/**
 * `isPartial`: only part of the file was read, and columns may occur later. @throws BadFileError if one is
 * missing
 */
export function planMappings(
  names: readonly string[],
  mappings: readonly ColumnMapping[],
  form: TextForm,
  isPartial = false,
): PlannedColumn[] {
  const positionOf = sourcePositions(names);
  return mappings.map((mapping) => {
    const { sourceColumnName: sourceName, nullable, unique } = mapping;
    const source = positionOf(sourceName);
    if (source === undefined && !isPartial && (mapping.required || !nullable)) {
      const known = names.slice(0, 20).map((name) => JSON.stringify(name));
      throw new BadFileError(
        'missing_column',
        `The file has no column ${JSON.stringify(sourceName)}. Its columns are ${known.join(', ')}${names.length > 20 ? ', …' : ''}`,
        { column: sourceName },
      );
    }
    return {
      source,
      sourceName,
      name: mapping.targetColumnName,
      type: dataType(mapping.dataType),
      nullable,
      unique,
      inferred: undefined,
      form: mapping.dateFormat === undefined ? form : { ...form, pattern: patternOf(mapping.dateFormat) },
    };
  });
}

/** @throws Error if the format is none, which is refused before */
export function patternOf(dateFormat: string): DatePattern | undefined {
  if (dateFormat === '') return undefined;
  const pattern = parseDatePattern(dateFormat);
  if ('fault' in pattern) throw new Error(`${pattern.fault}: ${dateFormat}`);
  return pattern;
}

/** Finds the exact name, or else a unique name that differs only in case or outer spaces. */
function sourcePositions(names: readonly string[]): (wanted: string) => number | undefined {
  const exact = new Map<string, number>();
  const folded = new Map<string, number | undefined>();
  for (const [index, name] of names.entries()) {
    if (!exact.has(name)) exact.set(name, index);
    folded.set(name.toLowerCase(), folded.has(name.toLowerCase()) ? undefined : index);
  }
  return (wanted) => exact.get(wanted) ?? folded.get(wanted.trim().toLowerCase());
}

export function planInferred(
  table: Pick<TextTable, 'names' | 'form'>,
  inferred: readonly InferredType[],
  { includeLoadDate, isReserved }: { includeLoadDate: boolean; isReserved: IsReserved | undefined },
): PlannedColumn[] {
  const targets = columnNames(table.names, isReserved, includeLoadDate ? [loadDateColumn] : []);
  return table.names.map((sourceName, source) => {
    const { type, pattern, certainty } = inferred[source]!;
    const form = { ...table.form, pattern };
    return {
      source,
      sourceName,
      name: targets[source]!,
      type,
      nullable: true,
      unique: false,
      inferred: certainty,
      form,
    };
  });
}

export function stagedColumns(plan: readonly PlannedColumn[], includeLoadDate: boolean): StagedColumn[] {
  const columns = plan.map(({ name, type, nullable }) => ({ name, dataType: typeName(type), nullable }));
  const loadDate = { name: loadDateColumn, dataType: 'TIMESTAMP', nullable: false };
  return includeLoadDate ? [...columns, loadDate] : columns;
}

const isTemporal = ({ kind }: DataType) =>
  kind === 'DATE' || kind === 'TIMESTAMP' || kind === 'TIMESTAMPTZ' || kind === 'TIME';

export function previewColumns(plan: readonly PlannedColumn[], includeLoadDate: boolean): PreviewColumn[] {
  const columns = plan.map(({ sourceName, name, type, nullable, form }) => ({
    sourceName,
    targetName: name,
    dataType: typeName(type),
    nullable,
    ...(form.pattern === undefined || !isTemporal(type) ? {} : { dateFormat: shownPattern(form.pattern) }),
  }));
  const added = {
    sourceName: loadDateColumn,
    targetName: loadDateColumn,
    dataType: 'TIMESTAMP',
    nullable: false,
  };
  return includeLoadDate ? [...columns, added] : columns;
}

/** PostgreSQL text cannot contain NUL or lone surrogates, and a header has names of any length. */
export function sourceColumn(source: string, target: string): SourceColumn {
  const name = source.slice(0, maxNameChars).toWellFormed().replaceAll('\u0000', '\ufffd');
  return { source: name, target };
}
