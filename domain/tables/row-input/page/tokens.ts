/** Structural bytes of JSON. */
export const byte = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/**
 * Thrown where the quick reading gives up: the page is then read by the general reading, which also reports
 * faults.
 */
export const bail = new Error('The page needs the general reader.');

/** In-place tokenizer of one JSON text. It accepts a subset of JSON; anything unusual throws `bail`. */
export class Tokens {
  readonly source: Uint8Array;
  at = 0;
  /**
   * For the last number read: digits before and after the point, and its value if that is exact (15 digits).
   */
  integerDigits = 0;
  fractionDigits = 0;
  value = 0;
  isNegative = false;
  hasExponent = false;
  /** Zeros between the point and the first other digit, if the integer part is 0. */
  leadingZeros = 0;

  constructor(source: Uint8Array) {
    this.source = source;
  }

  /** The next byte that is not white space; it is not consumed. */
  peek(): number {
    const { source } = this;
    let c = source[this.at]!;
    while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = source[++this.at]!;
    return c;
  }

  take(expected: number): void {
    if (this.peek() !== expected) throw bail;
    this.at += 1;
  }

  /** Skips a string; true if it has no escapes. */
  string(): boolean {
    const { source } = this;
    if (source[this.at] !== byte.quote) throw bail;
    let at = this.at + 1;
    let isPlain = true;
    for (;;) {
      const c = source[at];
      if (c === byte.quote) break;
      if (c === undefined || c < 0x20) throw bail;
      if (c === byte.backslash) {
        isPlain = false;
        at += 1;
      }
      at += 1;
    }
    this.at = at + 1;
    return isPlain;
  }

  number(): void {
    const { source } = this;
    let at = this.at;
    this.isNegative = source[at] === byte.minus;
    if (this.isNegative) at += 1;
    const start = at;
    let value = 0;
    let c = source[at]!;
    while (c >= byte.zero && c <= byte.nine) {
      value = value * 10 + (c - byte.zero);
      c = source[++at]!;
    }
    this.integerDigits = at - start;
    if (at === start || (source[start] === byte.zero && at - start > 1)) throw bail;
    this.fractionDigits = 0;
    this.leadingZeros = 0;
    if (c === byte.point) {
      const pointAt = at;
      c = source[++at]!;
      while (c >= byte.zero && c <= byte.nine) {
        value = value * 10 + (c - byte.zero);
        if (value === 0) this.leadingZeros += 1;
        c = source[++at]!;
      }
      this.fractionDigits = at - pointAt - 1;
      if (this.fractionDigits === 0) throw bail;
    }
    this.hasExponent = c === 0x65 || c === 0x45;
    if (this.hasExponent) {
      c = source[++at]!;
      if (c === 0x2b || c === byte.minus) c = source[++at]!;
      const exponentAt = at;
      while (c >= byte.zero && c <= byte.nine) c = source[++at]!;
      if (at === exponentAt) throw bail;
    }
    this.value = value;
    this.at = at;
  }

  word(word: string): void {
    for (let index = 0; index < word.length; index += 1)
      if (this.source[this.at + index] !== word.charCodeAt(index)) throw bail;
    this.at += word.length;
  }

  /** Skips any value by its brackets and quotes; the caller parses what was skipped. */
  any(): void {
    let depth = 0;
    do {
      const c = this.peek();
      if (c === byte.quote) this.string();
      else if (c === byte.openObject || c === byte.openList) {
        depth += 1;
        this.at += 1;
      } else if (c === byte.closeObject || c === byte.closeList) {
        depth -= 1;
        this.at += 1;
      } else if (c === undefined) throw bail;
      else if (depth > 0 && (c === byte.comma || c === byte.colon)) this.at += 1;
      else this.scalar();
    } while (depth > 0);
  }

  private scalar(): void {
    const start = this.at;
    for (;;) {
      const c = this.source[this.at];
      const isWordOrNumber =
        c !== undefined &&
        ((c >= 0x30 && c <= 0x39) ||
          (c >= 0x61 && c <= 0x7a) ||
          c === 0x2b ||
          c === 0x2d ||
          c === 0x2e ||
          c === 0x45);
      if (!isWordOrNumber) break;
      this.at += 1;
    }
    if (this.at === start) throw bail;
  }

  text(start: number, end: number = this.at): string {
    return (this.source as Buffer).toString('utf8', start, end);
  }
}
