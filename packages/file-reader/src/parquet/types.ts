import {
  DuckDBArrayType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api';
import { identifier } from '../sql.ts';
import { listName, nestedTypeName, structName } from '../values/nested.ts';
import { engineName } from '../values/types.ts';
import { columnTypeName } from './scalar-name.ts';

/** How a column of a Parquet file is converted to a column of the result. */
export interface TypedColumn {
  dataType: string;
  /** SQL for the value in the column's type. */
  value: string;
  /** SQL for the value as text, readable by the casts of mappings. */
  text: string;
  /**
   * SQL that is true for a value with nanoseconds, which `value` would truncate; undefined if no value can
   * have any.
   */
  losesNanoseconds?: string;
}

/** The engine's column for a row's 0-based position in its file. */
export const rowNumber = 'file_row_number';

export interface ParquetColumn extends TypedColumn {
  name: string;
  /** The same column as a list, struct or map, if a column can have it. */
  native: Pick<TypedColumn, 'dataType' | 'value'> | undefined;
}

export interface ParquetFile {
  /** Relation of its rows, with `file_row_number`. */
  from: string;
  rows: number;
  columns: ParquetColumn[];
  /** Columns that the engine would round, with a description. */
  wideDecimals: ReadonlyMap<string, string>;
}

const integers = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER']);
const wide: Record<string, string> = {
  UBIGINT: 'DECIMAL(20,0)',
  HUGEINT: 'DECIMAL(38,0)',
  UHUGEINT: 'DECIMAL(38,0)',
};
const asTimestamp = new Set(['TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS']);
const kept: Record<string, string> = {
  VARCHAR: 'STRING',
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  TIME: 'TIME',
  BLOB: 'BLOB',
  JSON: 'JSON',
  DOUBLE: 'DOUBLE',
};

/** The names of decimals and enumerations have parentheses too; the names of their lists end in brackets. */
function isNested(engineType: string): boolean {
  const isScalar = /^(DECIMAL|ENUM)\(/.test(engineType) && !engineType.endsWith(']');
  return /[[(]/.test(engineType) && !isScalar;
}

/**
 * The engine writes NaN and infinities bare, which isn't JSON: outside of strings they become strings. Types
 * without floating-point numbers have none, and most documents are seen at a glance to have none.
 */
function jsonDocument(column: string, engineType: string): string {
  const json = `to_json(${column})`;
  if (!/DOUBLE|FLOAT/.test(engineType)) return json;
  const pieces = `regexp_extract_all(document, '"(?:[^"\\\\]|\\\\.)*"|[^"]+')`;
  const quoted = `regexp_replace(piece, '-?Infinity|NaN', '"\\0"', 'g')`;
  const mended = `list_transform(${pieces}, lambda piece: CASE WHEN piece[1] = '"' THEN piece ELSE ${quoted} END)`;
  return `list_transform([${json}], lambda document: CASE
    WHEN contains(document, 'NaN') OR contains(document, 'Infinity') THEN CAST(array_to_string(${mended}, '') AS JSON)
    ELSE document END)[1]`;
}

/** A list, struct or map with all its values in types that a column can have; undefined for others. */
export function nativeColumn(name: string, type: DuckDBType): ParquetColumn['native'] {
  const named = nativeName(type);
  const dataType = named === undefined ? undefined : nestedTypeName(named);
  if (dataType === undefined) return undefined;
  return { dataType, value: `CAST(${identifier(name)} AS ${engineName(dataType)})` };
}

function nativeName(type: DuckDBType): string | undefined {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) {
    const item = nativeName(type.valueType);
    return item === undefined ? undefined : listName(item);
  }
  if (type instanceof DuckDBMapType) {
    const [key, value] = [scalarName(type.keyType), nativeName(type.valueType)];
    return key === undefined || value === undefined ? undefined : `MAP(${key}, ${value})`;
  }
  if (type instanceof DuckDBStructType) {
    const fields: [string, string][] = [];
    for (const [index, field] of type.entryTypes.entries()) {
      const named = nativeName(field);
      if (named === undefined) return undefined;
      fields.push([type.entryNames[index]!, named]);
    }
    return structName(fields);
  }
  return scalarName(type);
}

const nativeScalars =
  /^(?:STRING|INTEGER|DOUBLE|BOOLEAN|DATE|TIME|TIMESTAMP|TIMESTAMPTZ|BLOB|JSON|DECIMAL\(\d+,\d+\))$/;

/** What no column can be is a text, with all its digits. */
function scalarName(type: DuckDBType): string | undefined {
  const name = columnTypeName(type);
  if (nativeScalars.test(name)) return name;
  if (type.typeId === DuckDBTypeId.UNION || /^(?:STRUCT|MAP|VARIANT)/.test(name)) return undefined;
  if (name === 'FLOAT') return 'DOUBLE';
  return wide[name] ?? (asTimestamp.has(name) ? 'TIMESTAMP' : 'STRING');
}

/** `engineType` is as written by DESCRIBE. Lists, structs and maps are stored as JSON documents. */
export function typedColumn(name: string, engineType: string): TypedColumn {
  const column = identifier(name);
  const plain = { text: `CAST(${column} AS VARCHAR)` };
  const cast = (dataType: string, type: string): TypedColumn => ({
    ...plain,
    dataType,
    value: `CAST(${column} AS ${type})`,
  });
  if (isNested(engineType)) {
    const json = jsonDocument(column, engineType);
    return { dataType: 'JSON', value: `CAST(${json} AS JSON)`, text: `CAST(${json} AS VARCHAR)` };
  }
  if (engineType === 'BLOB') return { dataType: 'BLOB', value: column, text: `to_base64(${column})` };
  const same = kept[engineType];
  if (same !== undefined) return { ...plain, dataType: same, value: column };
  if (integers.has(engineType)) return cast('INTEGER', 'BIGINT');
  if (engineType === 'FLOAT') return cast('DOUBLE', 'DOUBLE');
  if (engineType.startsWith('DECIMAL('))
    return { ...plain, dataType: engineType.replaceAll(' ', ''), value: column };
  if (engineType === 'TIMESTAMP_NS') {
    const losesNanoseconds = `${column} <> CAST(CAST(${column} AS TIMESTAMP) AS TIMESTAMP_NS)`;
    return { ...cast('TIMESTAMP', 'TIMESTAMP'), losesNanoseconds };
  }
  if (asTimestamp.has(engineType)) return cast('TIMESTAMP', 'TIMESTAMP');
  if (engineType === 'TIMESTAMP WITH TIME ZONE') return { ...plain, dataType: 'TIMESTAMPTZ', value: column };
  const decimal = wide[engineType];
  return decimal === undefined ? cast('STRING', 'VARCHAR') : cast(decimal, decimal);
}
