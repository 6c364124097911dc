import { canonicalJson, canonicalNumber } from '../../../../data/canonical-json.ts';
import { type JsonValue, parseExactJson } from '../../../../data/exact-json.ts';
import { type Encoder, encoderOf } from '../encode.ts';
import { ByteWriter } from './bytes.ts';
import { isPlainDate, isPlainTime } from './moments.ts';
import type { Target } from './targets.ts';
import { bail, byte, type Tokens } from './tokens.ts';

/**
 * Reads values one by one. The engine's input is written to `feed`; if the canonical form differs from the
 * source, it is written to `scratch` and `isAsItStands` is false.
 */
export class Cells {
  readonly feed: ByteWriter;
  readonly scratch = new ByteWriter(256);
  isAsItStands = true;
  readonly #tokens: Tokens;

  constructor(tokens: Tokens, feed: ByteWriter) {
    this.#tokens = tokens;
    this.feed = feed;
  }

  read(target: Target): void {
    this.isAsItStands = true;
    const c = this.#tokens.source[this.#tokens.at]!;
    if (target.isUndetermined) this.#determine(target, c);
    switch (target.dataType) {
      case 'INTEGER':
        this.#integer(target);
        break;
      case 'DOUBLE':
        this.#double(target, c);
        break;
      case 'STRING':
        this.#string(target);
        break;
      case 'BOOLEAN':
        this.#boolean(c);
        break;
      case 'DATE':
      case 'TIMESTAMP':
        this.#moment(target);
        break;
      default:
        if (target.wholeDigits + target.scale > 0) this.#decimal(target, c);
        else this.#general(target);
    }
  }

  /** The first value determines the type, as in the general reading. */
  #determine(target: Target, c: number): void {
    target.isUndetermined = false;
    if (c === byte.quote) target.dataType = 'STRING';
    else if (c === 0x74 || c === 0x66) target.dataType = 'BOOLEAN';
    else if (c === byte.openList || c === byte.openObject) target.dataType = 'JSON';
    else target.dataType = 'INTEGER';
  }

  #integer(target: Target): void {
    const tokens = this.#tokens;
    const start = tokens.at;
    tokens.number();
    const { integerDigits, fractionDigits } = tokens;
    if (tokens.hasExponent || integerDigits > 18) {
      // Only the general reading decides which type an open column then takes.
      if (target.isOpen) throw bail;
      this.#again(target, start);
    } else if (fractionDigits > 0) {
      const isShort = integerDigits + fractionDigits <= 15;
      if (isShort && tokens.value % 10 ** fractionDigits === 0) {
        this.#again(target, start);
        return;
      }
      // An inferred column widens if nothing is lost; the text of its integers is valid for doubles too.
      if (!target.isOpen || target.sawLong || !isShort) throw bail;
      target.dataType = 'DOUBLE';
      tokens.at = start;
      this.#double(target, tokens.source[start]!);
    } else if (tokens.isNegative && tokens.value === 0) {
      this.#again(target, start);
    } else {
      if (integerDigits > 15) target.sawLong = true;
      this.feed.copy(tokens.source, start, tokens.at);
    }
  }

  #double(target: Target, c: number): void {
    const tokens = this.#tokens;
    const start = tokens.at;
    if (c === byte.quote) {
      this.#general(target);
      return;
    }
    tokens.number();
    const isShort = tokens.integerDigits + tokens.fractionDigits <= 15 && !tokens.hasExponent;
    if (!isShort || (tokens.isNegative && tokens.value === 0)) {
      // Only the general reading decides whether an inferred DOUBLE holds a long integer.
      const mayBeInteger = tokens.fractionDigits === 0 || tokens.integerDigits > 15 || tokens.hasExponent;
      if (target.isOpen && mayBeInteger) throw bail;
      this.#again(target, start);
    } else {
      this.feed.copy(tokens.source, start, tokens.at);
      this.#canonicalNumber(start);
    }
  }

  #decimal(target: Target, c: number): void {
    const tokens = this.#tokens;
    const start = tokens.at;
    const isString = c === byte.quote;
    if (isString) {
      tokens.at += 1;
      const first = tokens.source[tokens.at]!;
      if (first !== byte.minus && (first < byte.zero || first > byte.nine)) throw bail;
    }
    const numberAt = tokens.at;
    tokens.number();
    const numberEnd = tokens.at;
    if (isString && tokens.source[tokens.at++] !== byte.quote) throw bail;
    const whole = tokens.source[numberAt] === byte.zero ? 0 : tokens.integerDigits;
    const isPlain = !tokens.hasExponent && !(tokens.isNegative && tokens.value === 0);
    if (!isPlain || whole > target.wholeDigits || tokens.fractionDigits > target.scale) {
      this.#again(target, start);
      return;
    }
    this.feed.byte(byte.quote);
    this.feed.copy(tokens.source, numberAt, numberEnd);
    this.feed.byte(byte.quote);
    if (!isString) this.#canonicalNumber(start);
  }

  /** A number is already canonical unless it ends in a zero after the decimal point, or is tiny or huge. */
  #canonicalNumber(start: number): void {
    const tokens = this.#tokens;
    const isCanonical =
      tokens.fractionDigits === 0
        ? tokens.integerDigits <= 21
        : tokens.source[tokens.at - 1] !== byte.zero && tokens.leadingZeros < 6 && tokens.integerDigits <= 21;
    if (!isCanonical) this.#write(canonicalNumber(tokens.text(start)));
  }

  #string(target: Target): void {
    const tokens = this.#tokens;
    const start = tokens.at;
    if (tokens.string()) this.feed.copy(tokens.source, start, tokens.at);
    else this.#again(target, start);
  }

  #boolean(c: number): void {
    const tokens = this.#tokens;
    const start = tokens.at;
    tokens.word(c === 0x74 ? 'true' : 'false');
    this.feed.copy(tokens.source, start, tokens.at);
  }

  /**
   * Days up to the 28th exist in every month: such values, without an offset or in UTC, are copied unchanged.
   */
  #moment(target: Target): void {
    const tokens = this.#tokens;
    const { source } = tokens;
    const start = tokens.at;
    const isPlain = tokens.string() && isPlainDate(source, start + 1);
    const end = tokens.at - 1;
    const timeEnd = source[end - 1] === 0x5a ? end - 1 : end;
    if (isPlain && target.dataType === 'DATE' && end === start + 11) {
      this.feed.copy(source, start, tokens.at);
    } else if (isPlain && target.dataType === 'TIMESTAMP' && isPlainTime(source, start + 11, timeEnd)) {
      this.feed.copy(source, start, start + 11);
      this.feed.byte(0x20);
      this.feed.copy(source, start + 12, timeEnd);
      this.feed.byte(byte.quote);
    } else {
      this.#again(target, start);
    }
  }

  #general(target: Target): void {
    const start = this.#tokens.at;
    this.#tokens.any();
    this.#again(target, start);
  }

  /** Reads the value that ends here again, with the encoder that all other paths use. */
  #again(target: Target, start: number): void {
    const text = this.#tokens.text(start);
    const value = parseValue(text);
    if (value === null) throw bail;
    const encoded = encoder(target.dataType)(value);
    if ('fault' in encoded) throw bail;
    this.feed.text(encoded.text);
    const canonical = canonicalJson(value);
    if (canonical !== text) this.#write(canonical);
  }

  #write(canonical: string): void {
    this.isAsItStands = false;
    this.scratch.text(canonical);
  }
}

function parseValue(text: string): JsonValue {
  try {
    return parseExactJson(text);
  } catch {
    throw bail;
  }
}

const encoders = new Map<string, Encoder>();

function encoder(dataType: string): Encoder {
  let known = encoders.get(dataType);
  if (known === undefined) {
    known = encoderOf(dataType);
    if (known === undefined) throw bail;
    encoders.set(dataType, known);
  }
  return known;
}
