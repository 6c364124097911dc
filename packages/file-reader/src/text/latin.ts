/** Bytes that are unassigned in windows-1252, or characters that do not occur in today's texts. */
const unused = new Set([0x81, 0x83, 0x86, 0x87, 0x88, 0x8d, 0x8f, 0x90, 0x98, 0x9d]);
const letters80To9f = new Set([0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f]);
/** Apostrophes, dashes and dots that can be between two letters; other symbols cannot. */
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
 * The share of runs of non-ASCII bytes that are plausible in windows-1252: one or two accented letters among
 * plain ones, or symbols next to words. Text in other scripts would appear as words consisting of accented
 * letters.
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
  // Latin text has no capital within a word.
  if (isUpper(run[0]!) && isLower(before) && isLetter(run[0]!)) return false;
  return count < 3 && (count < 2 || isAsciiLetter(before) || isAsciiLetter(after));
}
