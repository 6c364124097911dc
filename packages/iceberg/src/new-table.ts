import { IcebergFault } from './read-avro.ts';
import type { IcebergField, IcebergSchema, IcebergType } from './schema.ts';

/** DuckDB's names of Iceberg's primitive types. */
const engineTypes: Readonly<Record<string, string>> = {
  ...{ boolean: 'BOOLEAN', int: 'INTEGER', long: 'BIGINT', float: 'FLOAT', double: 'DOUBLE' },
  ...{ string: 'VARCHAR', binary: 'BLOB', uuid: 'UUID', date: 'DATE', time: 'TIME' },
  ...{ timestamp: 'TIMESTAMP', timestamptz: 'TIMESTAMP WITH TIME ZONE' },
};

const mostDepth = 16;

/**
 * A column's type as DuckDB names it.
 *
 * @param place of the column, for the message
 * @throws IcebergFault for a type that the lake can't keep
 */
export function engineTypeOf(type: unknown, place: string, depth = 0): string {
  if (depth > mostDepth) throw new IcebergFault(`${place} is nested too deeply.`);
  if (typeof type === 'string') {
    const decimal = /^decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)$/.exec(type);
    if (decimal !== null && Number(decimal[1]) <= 38 && Number(decimal[2]) <= Number(decimal[1]))
      return `DECIMAL(${decimal[1]},${decimal[2]})`;
    const known = engineTypes[type];
    if (known !== undefined) return known;
    throw new IcebergFault(`${place} has the type ${type}, which this catalog can't keep.`);
  }
  const nested = (type ?? {}) as {
    type?: unknown;
    fields?: unknown;
    element?: unknown;
    key?: unknown;
    value?: unknown;
  };
  if (nested.type === 'list') return `${engineTypeOf(nested.element, place, depth + 1)}[]`;
  if (nested.type === 'map')
    return `MAP(${engineTypeOf(nested.key, place, depth + 1)}, ${engineTypeOf(nested.value, place, depth + 1)})`;
  if (nested.type === 'struct' && Array.isArray(nested.fields) && nested.fields.length > 0) {
    const fields = nested.fields.map((field: { name?: unknown; type?: unknown }) => {
      const name = String(field.name);
      return `"${name.replaceAll('"', '""')}" ${engineTypeOf(field.type, `${place}.${name}`, depth + 1)}`;
    });
    return `STRUCT(${fields.join(', ')})`;
  }
  throw new IcebergFault(`${place} has no type that this catalog knows.`);
}

/**
 * The schema with the ids that the lake gives to columns and their parts: in order, each before its parts.
 */
export function numbered(schema: { fields: readonly { name: string; type: unknown }[] }): {
  schema: IcebergSchema;
  lastColumnId: number;
} {
  let last = 0;
  const next = () => {
    last += 1;
    return last;
  };
  const field = ({ name, type }: { name: string; type: unknown }): IcebergField => ({
    ...{ id: next(), name, required: false, type: part(type) },
  });
  const part = (type: unknown): IcebergType => {
    if (typeof type === 'string') return type.replaceAll(/\s/g, '').replace(',', ', ');
    const nested = type as { type: string; fields: never[]; element: unknown; key: unknown; value: unknown };
    if (nested.type === 'list')
      return { type: 'list', 'element-id': next(), element: part(nested.element), 'element-required': false };
    if (nested.type === 'struct') return { type: 'struct', fields: nested.fields.map(field) };
    const key = { 'key-id': next(), key: part(nested.key) };
    return { type: 'map', ...key, 'value-id': next(), value: part(nested.value), 'value-required': false };
  };
  const fields = schema.fields.map(field);
  return { schema: { type: 'struct', 'schema-id': 0, fields }, lastColumnId: last };
}
