import {
  DuckDBArrayType,
  type DuckDBArrayValue,
  DuckDBListType,
  type DuckDBListValue,
  DuckDBMapType,
  type DuckDBMapValue,
  DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
  type DuckDBUnionValue,
  type DuckDBValue,
  type DuckDBVariantValue,
} from '@duckdb/node-api';
import { of, scalarEncoder, type ValueEncoder } from './scalars.ts';
import { keepByteOrderMarks } from './text-decoder.ts';

/**
 * How a struct's fields are accessed: by position in a column (see `positional.ts`), because names may be
 * empty, equal or `__proto__`; by name in a variant, which the binding decodes itself.
 */
type FieldsBy = 'position' | 'name';

/** The encoder of a column, nested types included. */
export function encoderFor(type: DuckDBType, fieldsBy: FieldsBy = 'position'): ValueEncoder {
  keepByteOrderMarks();
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) {
    const item = nullable(encoderFor(type.valueType, fieldsBy));
    return of<DuckDBListValue | DuckDBArrayValue>((value) => `[${value.items.map(item).join(',')}]`);
  }
  if (type instanceof DuckDBStructType) return structEncoder(type, fieldsBy);
  if (type instanceof DuckDBMapType) return mapEncoder(type, fieldsBy);
  if (type instanceof DuckDBUnionType) return unionEncoder(type, fieldsBy);
  return type.typeId === DuckDBTypeId.VARIANT ? variantEncoder : scalarEncoder(type);
}

/** In a variant, each value carries its type. */
const variantEncoder = of<DuckDBVariantValue>(({ value, type }) =>
  value === null || type === undefined ? 'null' : encoderFor(type, 'name')(value),
);

function nullable(encode: ValueEncoder): (value: DuckDBValue) => string {
  return (value) => (value === null ? 'null' : encode(value));
}

function structEncoder(type: DuckDBStructType, fieldsBy: FieldsBy): ValueEncoder {
  const fields = type.entryTypes.map((entry, index) => {
    const name = type.entryNames[index] ?? '';
    const prefix = `${JSON.stringify(name === '' ? String(index + 1) : name)}:`;
    const entryKey = fieldsBy === 'name' ? name : String(index);
    return { prefix, entryKey, encode: nullable(encoderFor(entry, fieldsBy)) };
  });
  return of<DuckDBStructValue>((value) => {
    const written = fields.map(
      ({ prefix, entryKey, encode }) => prefix + encode(value.entries[entryKey] ?? null),
    );
    return `{${written.join(',')}}`;
  });
}

function mapEncoder(type: DuckDBMapType, fieldsBy: FieldsBy): ValueEncoder {
  const encodeKey = nullable(encoderFor(type.keyType, fieldsBy));
  const encodeValue = nullable(encoderFor(type.valueType, fieldsBy));
  return of<DuckDBMapValue>((value) => {
    const written = value.entries.map((entry) => {
      const key = encodeKey(entry.key);
      return `${key.startsWith('"') ? key : JSON.stringify(key)}:${encodeValue(entry.value)}`;
    });
    return `{${written.join(',')}}`;
  });
}

function unionEncoder(type: DuckDBUnionType, fieldsBy: FieldsBy): ValueEncoder {
  const members = new Map(
    type.memberTypes.map((member, index) => [type.memberTags[index], nullable(encoderFor(member, fieldsBy))]),
  );
  return of<DuckDBUnionValue>((value) => members.get(value.tag)?.(value.value) ?? 'null');
}
