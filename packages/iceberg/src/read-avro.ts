import { inflateRawSync } from 'node:zlib';
import avro from 'avsc';

/** Why a file that an engine sent can't be read; the message is for whoever sent it. */
export class IcebergFault extends Error {}

/** Bytes of one file's rows, unpacked. */
const mostBytes = 67_108_864;
const mostRows = 200_000;

/** 64-bit integers without loss: ids of snapshots are larger than a double's. */
const long = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
});
const headerType = avro.Type.forSchema({ type: 'map', values: 'bytes' });

/**
 * The rows of an Avro object container file that somebody sent. Work and memory are bounded by the file's
 * size: what takes no bytes may not be repeated, and what is packed has a limit.
 *
 * @throws IcebergFault
 */
export function readAvroFile(bytes: Buffer): unknown[] {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof IcebergFault) throw error;
    throw new IcebergFault("It isn't a valid Avro file.");
  }
}

function read(bytes: Buffer): unknown[] {
  if (bytes.subarray(0, 4).toString('latin1') !== 'Obj\u0001')
    throw new IcebergFault("It isn't an Avro file.");
  const header = decode(headerType, bytes, 4);
  const metadata = header.value as Record<string, Buffer>;
  const codec = metadata['avro.codec']?.toString() ?? 'null';
  const given: unknown = JSON.parse(metadata['avro.schema']!.toString());
  refuseRepeatedNothing(given);
  const schema = plain(given) as avro.Schema;
  const type = avro.Type.forSchema(schema, { registry: { long } as never });
  const count = avro.Type.forSchema('long');
  const rows: unknown[] = [];
  // After the header comes a mark of 16 bytes, and after each block the same.
  let at = header.offset + 16;
  let unpacked = 0;
  while (at < bytes.length) {
    const rowsOfBlock = decode(count, bytes, at);
    const size = decode(count, bytes, rowsOfBlock.offset);
    const end = size.offset + (size.value as number);
    if (!(end + 16 <= bytes.length && end >= size.offset)) throw new IcebergFault('It is cut off.');
    const block = unpack(codec, bytes.subarray(size.offset, end), mostBytes - unpacked);
    unpacked += block.length;
    if (rows.length + (rowsOfBlock.value as number) > mostRows)
      throw new IcebergFault(`It has more than ${mostRows.toLocaleString('en-US')} rows.`);
    let place = 0;
    for (let row = 0; row < (rowsOfBlock.value as number); row += 1) {
      const { value, offset } = decode(type, block, place);
      rows.push(value);
      place = offset;
    }
    at = end + 16;
  }
  return rows;
}

function decode(type: avro.Type, bytes: Buffer, at: number): { value: unknown; offset: number } {
  const { value, offset } = type.decode(bytes, at);
  if (offset < 0) throw new IcebergFault('It is cut off.');
  return { value, offset };
}

function unpack(codec: string, block: Buffer, maxOutputLength: number): Buffer {
  if (codec === 'null') return block;
  if (codec === 'deflate') return inflateRawSync(block, { maxOutputLength });
  throw new IcebergFault(`It is packed by ${codec}. Write it with gzip, or uncompressed.`);
}

/** A list of a billion nulls takes five bytes. */
function refuseRepeatedNothing(schema: unknown, depth = 0): void {
  if (depth > 32) throw new IcebergFault('Its schema is nested too deeply.');
  if (Array.isArray(schema)) {
    for (const branch of schema) refuseRepeatedNothing(branch, depth + 1);
    return;
  }
  if (typeof schema !== 'object' || schema === null) return;
  const { type, items, values, fields } = schema as Record<string, unknown>;
  if (type === 'array' && takesNothing(items))
    throw new IcebergFault('Its schema repeats what has no bytes.');
  for (const part of [typeof type === 'object' ? type : undefined, items, values])
    refuseRepeatedNothing(part, depth + 1);
  if (Array.isArray(fields))
    for (const field of fields) refuseRepeatedNothing((field as { type?: unknown }).type, depth + 1);
}

function takesNothing(schema: unknown): boolean {
  if (schema === 'null') return true;
  // A name that was declared elsewhere may be that of a record without fields.
  if (typeof schema === 'string') return !primitives.has(schema);
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, fields, size } = schema as Record<string, unknown>;
  if (type === 'record')
    return !Array.isArray(fields) || fields.every((f) => takesNothing((f as never)['type']));
  if (type === 'fixed') return size === 0;
  return type === 'null';
}

/**
 * `{"type": "long"}` as `"long"`: both are allowed, and our own type of integers is found by the short name
 * only.
 */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, items, values, fields } = schema as Record<string, unknown>;
  if (typeof type === 'object') return plain(type);
  if (type === 'null' || primitives.has(String(type))) return type;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: plain(items) }),
    ...(values === undefined ? {} : { values: plain(values) }),
    ...(Array.isArray(fields)
      ? {
          fields: fields.map((field: object) => ({
            ...field,
            type: plain((field as { type: unknown }).type),
          })),
        }
      : {}),
  };
}

const primitives = new Set(['boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']);
