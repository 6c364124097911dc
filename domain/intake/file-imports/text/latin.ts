/** Bytes that windows-1252 gives no character, or one that no text of today has. */
const unused = new Set([0x81, 0x83, 0x86, 0x87, 0x88, 0x8d, 0x8f, 0x90, 0x98, 0x9d]);
const letters80To9f = new Set([0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f]);
/** Apostrophes, dashes and dots, which may stand between two letters; other symbols do not. */
const inWords = new Set([0x91, 0x92, 0x96, 0x97, 0xa0, 0xad, 0xb4, 0xb7]);
const noBreakSpace = 0xa0;

const isHigh = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80;
const isAsciiLetter = (byte: number | undefined): boolean => byte !== undefined && /[a-z]/i.test(char(byte));
const isLower = (byte: number | undefined): boolean => byte !== undefined && /[a-z]/.test(char(byte));
const char = (byte: number): string => String.fromCharCode(byte);
const isLetter = (byte: number): boolean =>
  letters80To9f.has(byte) || (byte >= 0xc0 && byte !== 0xd7 && byte !== 0xf7);
const isUpper = (byte: number): boolean =>
  [0x8a, 0x8c, 0x8e, 0x9f].includes(byte) || (byte >= 0xc0 && byte <= 0xde);

/**
 * The share of the runs of non-ASCII bytes that make sense in windows-1252: accented letters stand one or two
 * at a time among plain ones, symbols stand beside words. What other scripts become there are words of
 * accents alone.
 */
export function latinShare(bytes: Buffer): number {
  let runs = 0;
  let plausible = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (!isHigh(bytes[at])) continue;
    const from = at;
    while (isHigh(bytes[at + 1])) at += 1;
    runs += 1;
    if (isPlausible(bytes, from, at + 1)) plausible += 1;
  }
  return runs === 0 ? 1 : plausible / runs;
}

function isPlausible(bytes: Buffer, from: number, to: number): boolean {
  const run = bytes.subarray(from, to);
  if (run.some((byte) => unused.has(byte))) return false;
  const before = bytes[from - 1];
  const after = bytes[to];
  const count = run.filter(isLetter).length;
  if (count === 0) {
    const isInWord = isAsciiLetter(before) && isAsciiLetter(after);
    if (isInWord) return run.every((byte) => inWords.has(byte));
    return run.length === 1 || run.includes(noBreakSpace) || new Set(run).size === 1;
  }
  // A capital within a word is none of Latin.
  if (isUpper(run[0]!) && isLower(before) && isLetter(run[0]!)) return false;
  return count < 3 && (count < 2 || isAsciiLetter(before) || isAsciiLetter(after));
}
