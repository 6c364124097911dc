/** A column of a lake's table, or a part of one. */
export interface LakeColumn {
  /** Its field id in the table's Parquet files. */
  id: number;
  name: string;
  /** DuckLake's name of its type: `int64`, `decimal(10,2)`, `list`, `struct`, `map`. */
  type: string;
  /** The id of the column that it is a part of. */
  parent: number | null;
}

export type IcebergType =
  | string
  | { type: 'struct'; fields: IcebergField[] }
  | { type: 'list'; 'element-id': number; element: IcebergType; 'element-required': false }
  | {
      type: 'map';
      'key-id': number;
      key: IcebergType;
      'value-id': number;
      value: IcebergType;
      'value-required': false;
    };

export interface IcebergField {
  id: number;
  name: string;
  required: false;
  type: IcebergType;
}

export interface IcebergSchema {
  type: 'struct';
  'schema-id': number;
  fields: IcebergField[];
}

/**
 * Types of DuckLake that Iceberg version 2 has too. Unsigned integers of 32 and 64 bits, HUGEINT (whose files
 * have doubles), intervals, times with a zone and timestamps that aren't in microseconds are not among them:
 * an engine would refuse them or read another value.
 */
const primitives: Readonly<Record<string, string>> = {
  ...{ boolean: 'boolean', int8: 'int', int16: 'int', int32: 'int', uint8: 'int', uint16: 'int' },
  ...{ int64: 'long', float32: 'float', float64: 'double', varchar: 'string', json: 'string' },
  ...{ blob: 'binary', uuid: 'uuid', date: 'date', time: 'time', timestamp: 'timestamp' },
  timestamptz: 'timestamptz',
};

/** The fields of a table, and the names of the columns that Iceberg has no type for. */
export function icebergFields(columns: readonly LakeColumn[]): { fields: IcebergField[]; leftOut: string[] } {
  const parts = Map.groupBy(columns, ({ parent }) => parent);
  const fields: IcebergField[] = [];
  const leftOut: string[] = [];
  for (const column of parts.get(null) ?? []) {
    const type = icebergType(column, parts);
    if (type === undefined) leftOut.push(column.name);
    else fields.push({ id: column.id, name: column.name, required: false, type });
  }
  return { fields, leftOut };
}

type Parts = ReadonlyMap<number | null, readonly LakeColumn[]>;

function icebergType({ id, type }: LakeColumn, parts: Parts): IcebergType | undefined {
  const primitive = primitives[type] ?? decimalType(type);
  if (primitive !== undefined) return primitive;
  const own = (parts.get(id) ?? []).map((part) => ({ part, type: icebergType(part, parts) }));
  if (own.length === 0 || !own.every(isKnown)) return undefined;
  const [first, second] = own;
  if (type === 'list')
    return {
      ...{ type: 'list', 'element-id': first!.part.id, element: first!.type, 'element-required': false },
    };
  if (type === 'map' && second !== undefined)
    return {
      ...{ type: 'map', 'key-id': first!.part.id, key: first!.type },
      ...{ 'value-id': second.part.id, value: second.type, 'value-required': false },
    };
  if (type !== 'struct') return undefined;
  return {
    type: 'struct',
    fields: own.map(({ part, type: inner }) => ({
      ...{ id: part.id, name: part.name, required: false, type: inner },
    })),
  };
}

const isKnown = (own: {
  part: LakeColumn;
  type: IcebergType | undefined;
}): own is { part: LakeColumn; type: IcebergType } => own.type !== undefined;

function decimalType(type: string): string | undefined {
  const [, precision, scale] = /^decimal\((\d+),\s*(\d+)\)$/.exec(type) ?? [];
  return precision === undefined ? undefined : `decimal(${precision}, ${scale})`;
}

/** The largest field id of a schema's columns and their parts. */
export const lastFieldId = (columns: readonly LakeColumn[]): number =>
  columns.reduce((last, { id }) => Math.max(last, id), 0);
