import { maxRecordBytes } from '../bad-file.ts';

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const notFound = Number.POSITIVE_INFINITY;

export interface RecordLayout {
  separator: Buffer;
  /** Undefined if values are not quoted. */
  quote: number | undefined;
  /** Physical lines before the first record. */
  skipLines: number;
  /** Whether to count the fields of records. */
  isCounted?: boolean;
  /** Whether an empty line is a record, if one follows; before the first one only below skipped lines. */
  keepsEmptyLines?: boolean;
}

/**
 * Receives one record without its line end, and its number of fields. The bytes are only valid during the
 * call.
 */
export type OnRecord = (bytes: Buffer, line: number, fault: string | undefined, fields: number) => void;

interface RecordEnd {
  /** Undefined if more data is needed. */
  end: number | undefined;
  /** Line ends within the record. */
  inner: number;
  fields: number;
  fault?: string;
}

export interface Splitter {
  write(chunk: Buffer): void;
  end(): void;
}

const unclosedQuote = "A quoted value isn't closed";
const textAfterQuote = 'A quoted value is followed by other text';
const tooLong = `The record is longer than ${maxRecordBytes} bytes`;
/** Bytes kept of a line that is too long for a record. */
const keptOfLongLine = 64 * 1024;

/**
 * Splits UTF-8 bytes into records and counts physical lines. LF, CRLF and CR all end a line, even in the same
 * file. A quote opens a value only at the start of a field, as in the engine's reader. An unclosed quote
 * invalidates its line, not the rest of the file: scanning continues with the next line.
 */
export function createSplitter(layout: RecordLayout, onRecord: OnRecord): Splitter {
  const { separator, quote, isCounted = false, keepsEmptyLines = false } = layout;
  let data: Buffer = Buffer.alloc(0);
  let start = 0;
  let line = 1;
  let toSkip = layout.skipLines;
  let isDroppingLine = false;
  /** The first of the empty lines directly before `line`. */
  let emptyFrom: number | undefined;
  let isBegun = layout.skipLines > 0;
  /** Next occurrences at or after a position in `data`; -1 if not yet searched. */
  let nextLf = -1;
  let nextCr = -1;
  let nextQuote = -1;

  function newline(from: number): number {
    if (nextLf < from) nextLf = orNever(data.indexOf(lineFeed, from));
    if (nextCr < from) nextCr = orNever(data.indexOf(carriageReturn, from));
    return Math.min(nextLf, nextCr);
  }
  function quoteAt(from: number): number {
    if (quote === undefined) return notFound;
    // Checking one byte first avoids most searches in a file full of quotes.
    if (nextQuote < from) nextQuote = data[from] === quote ? from : orNever(data.indexOf(quote, from));
    return nextQuote;
  }
  /** Length of the line end at `at`, or 0 if it depends on the next chunk. */
  function newlineBytes(at: number, isLast: boolean): number {
    if (data[at] === lineFeed) return 1;
    if (at + 1 < data.length) return data[at + 1] === lineFeed ? 2 : 1;
    return isLast ? 1 : 0;
  }
  function isSeparatorAt(at: number): boolean {
    if (data[at] !== separator[0] || at + separator.length > data.length) return false;
    return (
      separator.length === 1 || data.compare(separator, 0, separator.length, at, at + separator.length) === 0
    );
  }
  function opensField(at: number): boolean {
    let before = at;
    if (separator[0] !== space) while (before > start && data[before - 1] === space) before -= 1;
    if (before === start) return true;
    const from = before - separator.length;
    return from >= start && isSeparatorAt(from);
  }
  /** Position of the quote that closes the value opened at `open`; undefined if the data ends before. */
  function closing(open: number, isLast: boolean): number | undefined {
    for (let at = quoteAt(open + 1); at !== notFound; at = quoteAt(at + 2)) {
      if (at + 1 >= data.length) return isLast ? at : undefined;
      if (data[at + 1] !== quote) return at;
    }
    return undefined;
  }
  /** What follows a closing quote, ignoring spaces: the end of the field, or other text, which is a fault. */
  function afterValue(from: number): 'end' | 'text' | 'more' {
    for (let at = from; ; at += 1) {
      if (at >= data.length) return 'more';
      const byte = data[at];
      if (byte === lineFeed || byte === carriageReturn) return 'end';
      if (isSeparatorAt(at)) return 'end';
      if (byte === separator[0] && at + separator.length > data.length) return 'more';
      if (byte !== space) return 'text';
    }
  }
  function linesIn(from: number, to: number): number {
    let count = 0;
    for (let at = newline(from); at < to; at = newline(at)) {
      count += 1;
      at += newlineBytes(at, true);
    }
    return count;
  }

  function separatorsIn(from: number, to: number): number {
    if (!isCounted) return 0;
    const first = separator[0];
    let count = 0;
    for (let at = from; at < to; at += 1) if (data[at] === first && isSeparatorAt(at)) count += 1;
    return count;
  }

  /**
   * Whether a quote that would close a multi-line value is where a value opens: then the first quote was
   * stray.
   */
  function beginsField(at: number): boolean {
    const before = data[at - 1];
    return before === lineFeed || before === carriageReturn || opensField(at);
  }
  /** A record with an unclosed quote ends with its first line: restores the search positions of its start. */
  function unclosed(isLast: boolean, lf: number, cr: number, quoteMark: number): RecordEnd {
    nextLf = lf;
    nextCr = cr;
    nextQuote = quoteMark;
    const first = newline(start);
    const end = first !== notFound ? first : isLast ? data.length : undefined;
    return { end, inner: 0, fields: 1, fault: unclosedQuote };
  }

  /** Finds the end of the record at `start`. */
  function recordEnd(isLast: boolean): RecordEnd {
    let from = start;
    let inner = 0;
    let fields = 1;
    let outside = start;
    const whole = (end: number): RecordEnd => ({ end, inner, fields: fields + separatorsIn(outside, end) });
    const cut = { end: undefined, inner, fields };
    let lf = -1;
    let cr = -1;
    let quoteMark = -1;
    for (;;) {
      const lineEnd = newline(from);
      const open = quoteAt(from);
      if (from === start) {
        lf = nextLf;
        cr = nextCr;
        quoteMark = nextQuote;
      }
      if (open >= lineEnd) {
        if (lineEnd !== notFound) return whole(lineEnd);
        return isLast ? whole(data.length) : cut;
      }
      if (!opensField(open)) {
        from = open + 1;
        continue;
      }
      const close = closing(open, isLast);
      if (close === undefined) {
        if (!isLast && data.length - start <= maxRecordBytes) return cut;
        return unclosed(isLast, lf, cr, quoteMark);
      }
      const lines = linesIn(open, close);
      inner += lines;
      fields += separatorsIn(outside, open);
      from = close + 1;
      outside = from;
      const follows = afterValue(from);
      if (follows === 'more' && !isLast) return cut;
      if (follows === 'text' && lines > 0 && beginsField(close)) return unclosed(isLast, lf, cr, quoteMark);
      if (follows === 'text') {
        const lineEndAfter = newline(from);
        const end = lineEndAfter !== notFound ? lineEndAfter : isLast ? data.length : undefined;
        return { end, inner, fields, fault: textAfterQuote };
      }
    }
  }

  function dropLine(isLast: boolean): void {
    nextLf = nextCr = nextQuote = -1;
    const end = newline(start);
    if (end === notFound) {
      start = data.length;
      return;
    }
    const bytes = newlineBytes(end, isLast);
    if (bytes === 0) return;
    start = end + bytes;
    line += 1;
    isDroppingLine = false;
  }

  function scan(isLast: boolean): void {
    nextLf = nextCr = nextQuote = -1;
    while (start < data.length) {
      if (isDroppingLine) {
        const before = start;
        dropLine(isLast);
        if (isDroppingLine && start === before) return;
        continue;
      }
      const { end, inner, fields, fault } =
        toSkip > 0
          ? { end: lineEndOrMore(isLast), inner: 0, fields: 0, fault: undefined }
          : recordEnd(isLast);
      const length = (end ?? data.length) - start;
      const isLong = length > maxRecordBytes;
      if (end === undefined && !isLong) return;
      const bytes = end === undefined || end === data.length ? 0 : newlineBytes(end, isLast);
      if (end !== undefined && bytes === 0 && !isLast) return;
      if (toSkip > 0) toSkip -= 1;
      else if (length === 0) {
        if (keepsEmptyLines && isBegun) emptyFrom ??= line;
      } else {
        for (let empty = emptyFrom ?? line; empty < line; empty += 1)
          onRecord(Buffer.alloc(0), empty, undefined, 1);
        emptyFrom = undefined;
        isBegun = true;
        const text = data.subarray(start, isLong ? start + keptOfLongLine : end);
        onRecord(text, line, isLong ? (fault ?? tooLong) : fault, fields);
      }
      if (end === undefined) {
        isDroppingLine = true;
        start = data.length;
        continue;
      }
      start = end + bytes;
      line += 1 + inner;
    }
  }
  function lineEndOrMore(isLast: boolean): number | undefined {
    const end = newline(start);
    return end === notFound ? (isLast ? data.length : undefined) : end;
  }

  return {
    write(chunk) {
      data = start === data.length ? chunk : Buffer.concat([data.subarray(start), chunk]);
      start = 0;
      scan(false);
    },
    end: () => scan(true),
  };
}

function orNever(index: number): number {
  return index === -1 ? notFound : index;
}
