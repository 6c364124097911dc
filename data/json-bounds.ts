/**
 * Limits for one JSON text. Numbers have the same limits everywhere, on their length and on their exponent.
 */
export interface JsonBounds {
  depth: number;
  /** Object members and list elements in total. */
  members: number;
  /** Whether every string must be storable: no lone surrogate, no NUL. */
  storableText: boolean;
}

export type JsonFaultKind = 'depth' | 'members' | 'number' | 'exponent' | 'surrogate' | 'nul';

export interface JsonFault {
  kind: JsonFaultKind;
  /** Path of keys and indexes to the fault. */
  place: (string | number)[];
}

export const maxNumberCharacters = 1_000;
export const maxExponent = 400;
/** A literal of at most this many characters, without an exponent, survives a double. */
const safeNumberCharacters = 15;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const zero = 0x30;
const nine = 0x39;
const letterU = 0x75;

/**
 * A container that the scan is inside: the position of its current key, or the index of its current element.
 */
interface Container {
  isList: boolean;
  index: number;
  expectsKey: boolean;
  keyStart: number;
  keyEnd: number;
}

export interface JsonScan {
  /** The first violation of the bounds. */
  fault: JsonFault | undefined;
  /** Whether a number before the fault may exceed what a double holds. */
  hasLongNumber: boolean;
}

/**
 * Scans the bytes of a JSON text once, in order and without recursion, before any value is built. It does not
 * check that they are valid JSON; the parser does.
 */
export function scanJson(bytes: Buffer, bounds: JsonBounds): JsonScan {
  const scan = new Scan(bytes, bounds);
  const kind = scan.run();
  const fault = kind && { kind, place: kind === 'members' ? [] : scan.place() };
  return { fault, hasLongNumber: scan.hasLongNumber };
}

type Found = JsonFaultKind | undefined;

class Scan {
  readonly #bytes: Buffer;
  readonly #bounds: JsonBounds;
  readonly #stack: Container[] = [];
  #members = 0;
  #at = 0;
  hasLongNumber = false;

  constructor(bytes: Buffer, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  run(): Found {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at += 1) {
      const found = this.#token(bytes[this.#at]!);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  place(): (string | number)[] {
    return this.#stack.map(({ isList, index, keyStart, keyEnd }) => {
      if (isList) return index;
      return decoded(this.#bytes.toString('utf8', keyStart, keyEnd)).toWellFormed();
    });
  }

  #token(byte: number): Found {
    if (byte === quote) return this.#string();
    if (byte === 0x2d || (byte >= zero && byte <= nine)) return this.#number();
    if (byte === 0x7b || byte === 0x5b) return this.#open(byte === 0x5b);
    if (byte === 0x7d || byte === 0x5d) this.#stack.pop();
    else if (byte === comma) return this.#next();
    return undefined;
  }

  #open(isList: boolean): Found {
    if (this.#stack.length >= this.#bounds.depth) return 'depth';
    this.#stack.push({ isList, index: 0, expectsKey: !isList, keyStart: 0, keyEnd: 0 });
    return undefined;
  }

  #next(): Found {
    const container = this.#stack.at(-1);
    if (container === undefined) return undefined;
    container.expectsKey = !container.isList;
    container.index += 1;
    return container.isList ? this.#count() : undefined;
  }

  #count(): Found {
    this.#members += 1;
    return this.#members > this.#bounds.members ? 'members' : undefined;
  }

  #string(): Found {
    const bytes = this.#bytes;
    const start = this.#at;
    let hasEscapedUnit = false;
    let at = start + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte === quote) break;
      if (byte === backslash) {
        at += 1;
        if (bytes[at] === letterU) hasEscapedUnit = true;
      }
      at += 1;
    }
    this.#at = Math.min(at, bytes.length);
    const container = this.#stack.at(-1);
    if (container?.expectsKey === true) {
      container.expectsKey = false;
      container.keyStart = start;
      container.keyEnd = this.#at + 1;
      const found = this.#count();
      if (found !== undefined) return found;
    }
    return hasEscapedUnit && this.#bounds.storableText ? this.#text(start, this.#at) : undefined;
  }

  /** In valid UTF-8, only an escape can produce a string that cannot be stored. */
  #text(start: number, end: number): Found {
    const bytes = this.#bytes;
    let isAfterHigh = false;
    for (let at = start + 1; at < end; at += 1) {
      const unit = bytes[at] === backslash && bytes[at + 1] === letterU ? this.#unit(at + 2) : -1;
      const isLow = unit >= 0xdc00 && unit <= 0xdfff;
      if (isLow !== isAfterHigh) return 'surrogate';
      if (unit === 0) return 'nul';
      isAfterHigh = unit >= 0xd800 && unit <= 0xdbff;
      if (bytes[at] === backslash) at += unit === -1 ? 1 : 5;
    }
    return isAfterHigh ? 'surrogate' : undefined;
  }

  /** The code unit of four hexadecimal digits, or -1. */
  #unit(at: number): number {
    let unit = 0;
    for (let index = at; index < at + 4; index += 1) {
      const digit = hexDigit(this.#bytes[index] ?? 0);
      if (digit === -1) return -1;
      unit = unit * 16 + digit;
    }
    return unit;
  }

  #number(): Found {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    let exponentAt = -1;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      const isPart = (byte >= zero && byte <= nine) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
      if (byte === 0x65 || byte === 0x45) exponentAt = at;
      else if (!isPart) break;
    }
    this.#at = at - 1;
    if (at - start > maxNumberCharacters) return 'number';
    if (at - start > safeNumberCharacters || exponentAt !== -1) this.hasLongNumber = true;
    if (exponentAt === -1) return undefined;
    const exponent = Number(bytes.toString('latin1', exponentAt + 1, at));
    return Math.abs(exponent) > maxExponent ? 'exponent' : undefined;
  }
}

function hexDigit(byte: number): number {
  if (byte >= zero && byte <= nine) return byte - zero;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function decoded(key: string): string {
  try {
    return String(JSON.parse(key));
  } catch {
    return key;
  }
}
