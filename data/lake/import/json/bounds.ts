/** Levels of arrays and objects within a record's value: what parses JSON by recursion must not be sent deeper. */
const maxDepth = 1_000;
const maxNumberChars = 1_000;
const maxExponent = 400;

const tooDeep = `The record nests more than ${maxDepth.toLocaleString('en')} levels deep`;
const tooLong = `The record has a number of more than ${maxNumberChars.toLocaleString('en')} characters`;
const tooFar = `The record has a number whose exponent is beyond ±${maxExponent}`;

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

/**
 * Why a JSON record is not even parsed. The bytes are looked at once, in order and without recursion; what is no
 * JSON at all is left for the parser to find.
 */
export function boundsFault(bytes: Buffer): string | undefined {
  // The record's own object is no level of a value.
  let room = maxDepth + 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) at = stringEnd(bytes, at);
    else if (isOpening(byte)) {
      if (room === 0) return tooDeep;
      room -= 1;
    } else if (isClosing(byte)) room += 1;
    else if (byte === minus || (byte >= zero && byte <= nine)) {
      const end = numberEnd(bytes, at);
      if (end - at > maxNumberChars) return tooLong;
      if (exponentOf(bytes, at, end) > maxExponent) return tooFar;
      at = end - 1;
    }
  }
  return undefined;
}

const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d;
const isExponentSign = (byte: number): boolean => byte === 0x65 || byte === 0x45;

/** Where the string that starts at `open` is closed, or the end. */
function stringEnd(bytes: Buffer, open: number): number {
  let at = open + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/** Behind the digits, signs, point and exponent that start at `from`. */
function numberEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    // From + to . and the digits: only a comma and a slash are among them too.
    const isPart = (byte >= 0x2b && byte <= nine && byte !== 0x2c && byte !== 0x2f) || isExponentSign(byte);
    if (!isPart) break;
  }
  return at;
}

/** The exponent without its sign; 0 where there is none. */
function exponentOf(bytes: Buffer, from: number, end: number): number {
  let exponent = 0;
  let isExponent = false;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at]!;
    if (isExponentSign(byte)) isExponent = true;
    else if (isExponent && byte >= zero && byte <= nine && exponent <= maxExponent)
      exponent = exponent * 10 + byte - zero;
  }
  return exponent;
}
