import { eightBitEncoding, isDamagedUtf8 } from './encoding.ts';

/** Number of bytes judged, from the first non-ASCII character on. */
const judgedBytes = 1024 * 1024;

/**
 * The encoding of a file that starts with plain ASCII but later is not UTF-8; undefined if the rest is UTF-8
 * or ASCII.
 *
 * @throws BadFileError like `detectEncoding`
 */
export async function encodingLater(chunks: AsyncIterable<Buffer>): Promise<string | undefined> {
  const held: Buffer[] = [];
  let bytes = 0;
  let before: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (held.length === 0 && chunk.every((byte) => byte < 0x80)) {
      before = chunk.subarray(-100);
      continue;
    }
    if (held.length === 0) held.push(before);
    held.push(chunk);
    bytes += chunk.length;
    if (bytes >= judgedBytes) break;
  }
  if (held.length === 0) return undefined;
  const found = Buffer.concat(held);
  const at = found.findIndex((byte) => byte >= 0x80);
  const text = found.subarray(Math.max(0, at - 100));
  return isDamagedUtf8(text) ? undefined : eightBitEncoding(text);
}
