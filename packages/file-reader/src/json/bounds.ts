/** Maximum nesting depth of a record's values, since recursive JSON parsers cannot handle unlimited depth. */
const maxDepth = 1_000;
const maxNumberCharacters = 1_000;
const maxExponent = 400;
/** A literal of at most this many characters, without an exponent, survives a double. */
const safeNumberCharacters = 15;

const [quote, backslash, zero, nine] = [0x22, 0x5c, 0x30, 0x39];

const tooDeep = `The record nests more than ${maxDepth.toLocaleString('en')} levels deep`;
const tooLong = `The record has a number of more than ${maxNumberCharacters.toLocaleString('en')} characters`;
const tooLarge = `The record has a number whose exponent is beyond ±${maxExponent}`;

/**
 * Checks a JSON record before it is parsed: whether it exceeds a limit, and whether it has a number that a
 * double may not represent. Syntax errors are left to the parser.
 */
export function lookThrough(bytes: Buffer): { fault: string | undefined; hasLongNumber: boolean } {
  let depth = 0;
  let hasLongNumber = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === 0x2d || (byte >= zero && byte <= nine)) {
      const { end, exponentAt } = numberFrom(bytes, at);
      const isLong = end - at > safeNumberCharacters || exponentAt !== -1;
      if (end - at > maxNumberCharacters) return { fault: tooLong, hasLongNumber };
      hasLongNumber ||= isLong;
      if (exponentAt !== -1 && Math.abs(Number(bytes.toString('latin1', exponentAt + 1, end))) > maxExponent)
        return { fault: tooLarge, hasLongNumber };
      at = end - 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      // The record's own object does not count.
      if (depth > maxDepth) return { fault: tooDeep, hasLongNumber };
      depth += 1;
    } else if ((byte === 0x7d || byte === 0x5d) && depth > 0) depth -= 1;
  }
  return { fault: undefined, hasLongNumber };
}

/** Position of the quote that ends the string, or of the end of the text. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (; at < bytes.length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
  return Math.min(at, bytes.length);
}

function numberFrom(bytes: Buffer, start: number): { end: number; exponentAt: number } {
  let exponentAt = -1;
  let at = start;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    const isPart = (byte >= zero && byte <= nine) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
    if (byte === 0x65 || byte === 0x45) exponentAt = at;
    else if (!isPart) break;
  }
  return { end: at, exponentAt };
}
