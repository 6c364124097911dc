import { isUtf8 } from 'node:buffer';
import { ValidationError } from './errors.ts';
import { type JsonValue, parseExactJson } from './exact-json.ts';

/** What one JSON text may have. Numbers are bounded the same everywhere: their text, and their exponent. */
export interface JsonBounds {
  depth: number;
  /** Members of objects, and elements of lists, each in the whole text. */
  members: number;
  /** Whether every text must be one that can be stored: no half of a surrogate pair, no NUL. */
  storableText: boolean;
}

const maxNumberCharacters = 1_000;
const maxExponent = 400;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const zero = 0x30;
const nine = 0x39;

/** A container that the scan is in: where its current key stands, or the index of its current element. */
interface Container {
  isList: boolean;
  index: number;
  expectsKey: boolean;
  keyStart: number;
  keyEnd: number;
}

/**
 * The value of a body's bytes. They are looked through once for what no body may have, before anything is built of
 * them: what is wrong is told at its place.
 *
 * @throws ValidationError where the bytes are not JSON in UTF-8, or beyond a bound
 */
export function parseBoundedJson(bytes: Buffer, bounds: JsonBounds): JsonValue {
  if (!isUtf8(bytes)) throw notJson('the body is not UTF-8');
  new Scan(bytes, bounds).run();
  try {
    return parseExactJson(bytes.toString('utf8'));
  } catch (error) {
    throw notJson((error as Error).message);
  }
}

function notJson(reason: string): ValidationError {
  return new ValidationError([
    { loc: ['body'], msg: `JSON decode error: ${reason.slice(0, 300)}`, type: 'json_invalid' },
  ]);
}

/** One pass over the bytes. It holds the text to its bounds only: whether it is JSON is the parser's business. */
class Scan {
  readonly #bytes: Buffer;
  readonly #bounds: JsonBounds;
  readonly #stack: Container[] = [];
  #members = 0;
  #at = 0;

  constructor(bytes: Buffer, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  run(): void {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at += 1) {
      const byte = bytes[this.#at]!;
      if (byte === quote) this.#string();
      else if (byte === 0x2d || (byte >= zero && byte <= nine)) this.#number();
      else if (byte === 0x7b || byte === 0x5b) this.#open(byte === 0x5b);
      else if (byte === 0x7d || byte === 0x5d) this.#stack.pop();
      else if (byte === comma) this.#next();
    }
  }

  #open(isList: boolean): void {
    if (this.#stack.length >= this.#bounds.depth)
      this.#refuse(`The value is nested deeper than ${this.#bounds.depth} levels.`);
    this.#stack.push({ isList, index: 0, expectsKey: !isList, keyStart: 0, keyEnd: 0 });
  }

  #next(): void {
    const container = this.#stack.at(-1);
    if (container === undefined) return;
    container.expectsKey = !container.isList;
    container.index += 1;
    if (container.isList) this.#count();
  }

  #count(): void {
    this.#members += 1;
    if (this.#members > this.#bounds.members)
      throw new ValidationError([
        {
          loc: ['body'],
          msg: `The body has more than ${this.#bounds.members} members and elements.`,
          type: 'too_long',
        },
      ]);
  }

  #string(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let hasEscapedUnit = false;
    let at = start + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte === quote) break;
      if (byte === backslash) {
        at += 1;
        if (bytes[at] === 0x75) hasEscapedUnit = true;
      }
      at += 1;
    }
    this.#at = Math.min(at, bytes.length);
    const container = this.#stack.at(-1);
    if (container?.expectsKey === true) {
      container.expectsKey = false;
      container.keyStart = start;
      container.keyEnd = this.#at + 1;
      this.#count();
    }
    if (hasEscapedUnit && this.#bounds.storableText) this.#text(start, this.#at);
  }

  /** Only an escape can make a text of UTF-8 one that cannot be stored. */
  #text(start: number, end: number): void {
    const bytes = this.#bytes;
    let isAfterHigh = false;
    for (let at = start + 1; at < end; at += 1) {
      const unit = bytes[at] === backslash && bytes[at + 1] === 0x75 ? this.#unit(at + 2) : -1;
      const isLow = unit >= 0xdc00 && unit <= 0xdfff;
      if (isLow !== isAfterHigh) this.#refuse('The text holds half of a surrogate pair.');
      if (unit === 0) this.#refuse('Text must not hold the NUL character.');
      isAfterHigh = unit >= 0xd800 && unit <= 0xdbff;
      if (bytes[at] === backslash) at += unit === -1 ? 1 : 5;
    }
    if (isAfterHigh) this.#refuse('The text holds half of a surrogate pair.');
  }

  #unit(at: number): number {
    const unit = Number.parseInt(this.#bytes.toString('latin1', at, at + 4), 16);
    return Number.isNaN(unit) ? -1 : unit;
  }

  #number(): void {
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
    if (at - start > maxNumberCharacters)
      this.#refuse(`A number has at most ${maxNumberCharacters} characters.`);
    if (exponentAt === -1) return;
    const exponent = Number(bytes.toString('latin1', exponentAt + 1, at));
    if (Math.abs(exponent) > maxExponent)
      this.#refuse(`The exponent of a number lies between -${maxExponent} and ${maxExponent}.`);
  }

  #refuse(msg: string): never {
    throw new ValidationError([{ loc: ['body', ...this.#place()], msg, type: 'value_error' }]);
  }

  #place(): (string | number)[] {
    return this.#stack.map(({ isList, index, keyStart, keyEnd }) => {
      if (isList) return index;
      return decoded(this.#bytes.toString('utf8', keyStart, keyEnd)).toWellFormed();
    });
  }
}

function decoded(key: string): string {
  try {
    return String(JSON.parse(key));
  } catch {
    return key;
  }
}
