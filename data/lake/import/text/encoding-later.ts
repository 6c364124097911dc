/**
 * Whether the first character of a file that is not ASCII is no UTF-8: then the file is in a one-byte encoding,
 * and its first non-ASCII byte just came late. A valid character first makes it UTF-8 with some damage.
 */
export async function isLatinLater(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    if (held !== undefined) return !isCharacter(Buffer.concat([held, chunk.subarray(0, 4)]));
    const at = chunk.findIndex((byte) => byte >= 0x80);
    if (at === -1) continue;
    held = chunk.subarray(at, at + 4);
    if (held.length === 4) return !isCharacter(held);
  }
  return held !== undefined && !isCharacter(held);
}

function isCharacter(bytes: Buffer): boolean {
  const first = bytes[0]!;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length));
    return true;
  } catch {
    return false;
  }
}
