import { startsAsUtf8 } from './encoding.ts';

/**
 * Whether the first character of a file that is not ASCII is no UTF-8: then the file is in a one-byte encoding,
 * and its first non-ASCII byte just came late.
 */
export async function isLatinLater(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    if (held !== undefined) return !startsAsUtf8(Buffer.concat([held, chunk.subarray(0, 4)]));
    const at = chunk.findIndex((byte) => byte >= 0x80);
    if (at === -1) continue;
    held = chunk.subarray(at, at + 4);
    if (held.length === 4) return !startsAsUtf8(held);
  }
  return held !== undefined && !startsAsUtf8(held);
}
