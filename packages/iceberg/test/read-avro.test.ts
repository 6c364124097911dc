import { deflateRawSync } from 'node:zlib';
import avro from 'avsc';
import { expect, test } from 'vitest';
import { IcebergFault, readManifest, readManifestList } from '../index.ts';
import { readAvroFile } from '../src/read-avro.ts';

/** A container file with these bytes as its only block. */
function file(schema: object, block: Buffer, count = 1, codec = 'null'): Buffer {
  const header = avro.Type.forSchema({ type: 'map', values: 'bytes' });
  const long = avro.Type.forSchema('long');
  const sync = Buffer.alloc(16, 7);
  return Buffer.concat([
    Buffer.from('Obj\u0001', 'latin1'),
    header.toBuffer({ 'avro.schema': Buffer.from(JSON.stringify(schema)), 'avro.codec': Buffer.from(codec) }),
    ...[sync, long.toBuffer(count), long.toBuffer(block.length), block, sync],
  ]);
}

const row = { type: 'record', name: 'r', fields: [{ name: 'id', type: 'long' }] };

test('64-bit integers arrive as they were written', () => {
  const bytes = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
  expect(readAvroFile(file(row, bytes))).toEqual([{ id: 9_223_372_036_854_775_807n }]);
  const long = { type: 'record', name: 'r', fields: [{ name: 'id', type: { type: 'long' } }] };
  expect(readAvroFile(file(long, bytes))).toEqual([{ id: 9_223_372_036_854_775_807n }]);
});

test('a file that would take more than its size is refused', () => {
  const huge = avro.Type.forSchema('long').toBuffer(2 ** 40);
  const items = [
    { type: 'array', items: 'null' },
    { type: 'array', items: { type: 'record', name: 'e', fields: [] } },
    { type: 'array', items: { type: 'fixed', name: 'f', size: 0 } },
    { type: 'array', items: 'e' },
  ];
  for (const type of items)
    expect(() =>
      readAvroFile(file({ type: 'record', name: 'r', fields: [{ name: 'x', type }] }, huge)),
    ).toThrow(IcebergFault);
  const bomb = deflateRawSync(Buffer.alloc(100_000_000));
  expect(() => readAvroFile(file(row, bomb, 1, 'deflate'))).toThrow(IcebergFault);
  expect(() => readAvroFile(file({ type: 'null' } as never, Buffer.alloc(0), 2 ** 40))).toThrow(IcebergFault);
});

test('files that are cut off, and other files, are refused', () => {
  const good = file(row, Buffer.from([2]));
  for (let length = 0; length < good.length; length += 1)
    expect(() => {
      const rows = readAvroFile(good.subarray(0, length));
      // A file may end after its header.
      if (rows.length > 0) throw new Error('It was read.');
      throw new IcebergFault('Nothing.');
    }).toThrow(IcebergFault);
  expect(() => readAvroFile(Buffer.from('PAR1'))).toThrow("It isn't an Avro file.");
  expect(() => readAvroFile(file(row, Buffer.from([2]), 1, 'snappy'))).toThrow(/packed by snappy/);
  expect(() => readManifestList(good)).toThrow("It isn't a list of manifests.");
  expect(() => readManifest(good, 1n)).toThrow("It isn't a manifest.");
});
