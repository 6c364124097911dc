import {
  DuckDBArrayType,
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalType,
  type DuckDBDecimalValue,
  DuckDBListType,
  type DuckDBListValue,
  DuckDBMapType,
  type DuckDBMapValue,
  DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import {
  Binary,
  Bool,
  type Data,
  DataType,
  Decimal,
  Field,
  Int32,
  Int64,
  List,
  Map_,
  makeBuilder,
  Struct,
  Utf8,
} from 'apache-arrow';
import { plainTextOf } from '../plain-text.ts';
import type { LongColumn } from './columns.ts';
import { hugeIntegerWords, wordsOf } from './decimals.ts';
import { storedInArrow } from './stored-types.ts';

/** How a part of a nested value is written. */
interface Part {
  type: DataType;
  /** What the library's builder makes, which would round times: the same memory by another name. */
  built: DataType;
  /** The builder's value. */
  write: (value: DuckDBValue) => unknown;
  /** Approximate bytes of a written value. */
  sizeBytes: (written: unknown) => number;
  parts: readonly Part[];
}

const isMap = (type: DuckDBType): type is DuckDBMapType => type instanceof DuckDBMapType;

export const isNestedInArrow = (type: DuckDBType): boolean =>
  type instanceof DuckDBListType ||
  type instanceof DuckDBArrayType ||
  type instanceof DuckDBStructType ||
  isMap(type);

/** A column of lists, structs or maps. */
export function nestedColumn(name: string, type: DuckDBType): LongColumn {
  const part = partOf(name, type);
  let builder = makeBuilder({ type: part.built, nullValues: [null] });
  let bytes = 0;
  return {
    type: part.type,
    get sizeBytes() {
      return bytes;
    },
    append(vector, from, to) {
      for (let row = from; row < to; row += 1) {
        const value = vector.getItem(row);
        const written = value === null ? null : part.write(value);
        builder.append(written);
        bytes += sizeOf(part, written);
      }
    },
    data: () => named(builder.flush(), part),
    clear() {
      builder = makeBuilder({ type: part.built, nullValues: [null] });
      bytes = 0;
    },
  };
}

const sizeOf = (part: Part, written: unknown): number => 4 + (written === null ? 0 : part.sizeBytes(written));

/** The built memory with the types that it is meant to have. */
function named(data: Data, { type, parts }: Part): Data {
  const children = data.children.map((child, index) => named(child, parts[index]!));
  return data.clone(type, data.offset, data.length, data.nullCount, data.buffers as never, children);
}

function partOf(name: string, type: DuckDBType): Part {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType)
    return listPart(partOf(name, type.valueType));
  if (isMap(type)) return mapPart(partOf(name, type.keyType), partOf(name, type.valueType));
  if (type instanceof DuckDBStructType)
    return structPart(
      type.entryNames.map((field, index) => (field === '' ? String(index + 1) : field)),
      type.entryTypes.map((entry) => partOf(name, entry)),
    );
  return scalarPart(name, type);
}

const orNull =
  ({ write }: Part) =>
  (value: DuckDBValue) =>
    value === null ? null : write(value);

function listPart(item: Part): Part {
  const write = orNull(item);
  return {
    type: new List(new Field('item', item.type, true)),
    built: new List(new Field('item', item.built, true)),
    write: (value) => (value as DuckDBListValue | DuckDBArrayValue).items.map(write),
    sizeBytes: (written) => (written as unknown[]).reduce<number>((sum, one) => sum + sizeOf(item, one), 0),
    parts: [item],
  };
}

function structPart(names: readonly string[], parts: readonly Part[]): Part {
  const fields = (of: (part: Part) => DataType) =>
    new Struct(names.map((name, index) => new Field(name, of(parts[index]!), true)));
  const writes = parts.map(orNull);
  return {
    type: fields((part) => part.type),
    built: fields((part) => part.built),
    // Fields are read by their places.
    write: (value) => writes.map((write, at) => write((value as DuckDBStructValue).entries[at] ?? null)),
    sizeBytes: (written) =>
      parts.reduce((sum, part, at) => sum + sizeOf(part, (written as unknown[])[at]), 0),
    parts,
  };
}

function mapPart(key: Part, value: Part): Part {
  const entries = (of: (part: Part) => DataType) =>
    new Struct([new Field('key', of(key), false), new Field('value', of(value), true)]);
  const map = (of: (part: Part) => DataType) =>
    new Map_(new Field('entries', entries(of), false) as never, false) as unknown as DataType;
  const writeValue = orNull(value);
  return {
    type: map((part) => part.type),
    built: map((part) => part.built),
    write: (read) =>
      new Map(
        (read as DuckDBMapValue).entries.map((entry) => [key.write(entry.key), writeValue(entry.value)]),
      ),
    sizeBytes: (written) =>
      [...(written as Map<unknown, unknown>)].reduce(
        (sum, [one, other]) => sum + sizeOf(key, one) + sizeOf(value, other),
        0,
      ),
    parts: [structPart(['key', 'value'], [key, value])].map((part) => ({
      ...part,
      type: entries(({ type }) => type),
    })),
  };
}

const fixed = (type: DataType, built: DataType, write: Part['write'], bytes: number): Part => ({
  ...{ type, built, write, parts: [] },
  sizeBytes: () => bytes,
});

/** Dates and times as the integers that Arrow stores for them. */
function storedPart(type: DataType, bytes: number): Part {
  if (DataType.isDate(type))
    return fixed(type, new Int32(), (value) => (value as DuckDBDateValue).days, bytes);
  if (DataType.isTime(type) || DataType.isTimestamp(type)) return fixed(type, new Int64(), ticks, bytes);
  return fixed(type, type, (value) => value, bytes);
}

/** In the unit of the value's own type. */
function ticks(value: DuckDBValue): bigint {
  const { seconds, millis, micros, nanos } = value as unknown as Record<string, bigint | undefined>;
  return (seconds ?? millis ?? micros ?? nanos)!;
}

function scalarPart(name: string, type: DuckDBType): Part {
  const stored = storedInArrow[type.typeId];
  if (stored !== undefined) return storedPart(stored[0](), stored[1].BYTES_PER_ELEMENT);
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
      return fixed(new Bool(), new Bool(), (value) => value, 1);
    case DuckDBTypeId.DECIMAL: {
      const { width, scale } = type as DuckDBDecimalType;
      const decimal = new Decimal(scale, width);
      return fixed(decimal, decimal, (value) => wordsOf((value as DuckDBDecimalValue).value), 16);
    }
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT: {
      const decimal = new Decimal(0, 38);
      return fixed(decimal, decimal, (value) => hugeIntegerWords(name, value as bigint), 16);
    }
    case DuckDBTypeId.BLOB: {
      const binary = new Binary();
      const write = (value: DuckDBValue) => (value as DuckDBBlobValue).bytes;
      return { ...fixed(binary, binary, write, 0), sizeBytes: (written) => (written as Uint8Array).length };
    }
    default: {
      const text = new Utf8();
      const write = plainTextOf(type);
      return { ...fixed(text, text, write, 0), sizeBytes: (written) => (written as string).length };
    }
  }
}
