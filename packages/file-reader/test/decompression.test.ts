import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decompressors, isDecompressionFault } from '../src/decompression.ts';

const compress = { gzip: gzipSync, zstd: zstdCompressSync };
const parts = ['first\n', '', 'x'.repeat(300_000), 'last\n'];

function cut(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

async function read(name: 'gzip' | 'zstd', chunks: Buffer[], mostFrames = 100): Promise<string> {
  let text = '';
  await pipeline(Readable.from(chunks), decompressors[name](mostFrames), async (pieces) => {
    for await (const piece of pieces) text += piece;
  });
  return text;
}

describe.each(['gzip', 'zstd'] as const)('%s', (name) => {
  const packed = Buffer.concat(parts.map((part) => compress[name](part)));

  test.each([1, 3, 7, 14, 1_000, packed.length])('gives all parts, in chunks of %i bytes', async (size) => {
    expect(await read(name, cut(packed, size))).toBe(parts.join(''));
  });

  test('fails where it is cut short, in the first part and in the last', async () => {
    for (const length of [3, 10, packed.length - 2]) {
      const error = await read(name, [packed.subarray(0, length)]).catch((cause: unknown) => cause);
      expect(isDecompressionFault(error), String(error)).toBe(true);
    }
  });

  test('gives no more than is taken', async () => {
    const stream = decompressors[name](100);
    stream.end(Buffer.concat(Array.from({ length: 50 }, () => compress[name](Buffer.alloc(1_000_000)))));
    const [first] = (await stream.take(1).toArray()) as Buffer[];
    expect(first!.length).toBeLessThan(1_000_000);
    expect(stream.readableLength).toBeLessThan(1_000_000);
    stream.destroy();
  });
});

test('what follows a frame and is none is a fault, as are too many frames', async () => {
  const frame = zstdCompressSync('a');
  const errors = [
    await read('zstd', [Buffer.concat([frame, Buffer.from('garbage')])]).catch((cause: unknown) => cause),
    await read('zstd', [Buffer.concat(Array.from({ length: 101 }, () => frame))]).catch(
      (cause: unknown) => cause,
    ),
  ];
  expect(errors.map(isDecompressionFault)).toEqual([true, true]);
});
