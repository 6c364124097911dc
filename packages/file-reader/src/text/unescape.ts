/** Turns one way to write a quote within a value into the one that the rest of the reader knows. */
export interface Unescaper {
  write(chunk: Buffer): Buffer;
  end(): Buffer;
}

export interface EscapeLayout {
  /** Undefined where quotes are only doubled. */
  escaping: string | undefined;
  quote: string | undefined;
  /** What may separate fields. */
  separators: readonly string[];
}

/**
 * Within a value in quotes, an escaped quote becomes a doubled one, and an escaped escape character a single
 * one; the character is itself before anything else. In a value without quotes, an escaped quote is a quote.
 * Undefined if there is nothing to do.
 */
export function createUnescaper({ escaping, quote, separators }: EscapeLayout): Unescaper | undefined {
  if (escaping === undefined || quote === undefined || escaping === quote) return undefined;
  const escapes = escaping.charCodeAt(0);
  const quotes = quote.charCodeAt(0);
  // A separator of several bytes ends with one that begins a field.
  const begins = new Set(separators.map((separator) => Buffer.from(separator).at(-1)));
  for (const lineEnd of [10, 13]) begins.add(lineEnd);
  const space = 32;
  let isQuoted = false;
  let isAtStart = true;
  /** The last byte of the chunk before, whose meaning the next one shows. */
  let held: number | undefined;

  function write(chunk: Buffer): Buffer {
    const bytes = held === undefined ? chunk : Buffer.concat([Buffer.of(held), chunk]);
    held = undefined;
    // An escaped quote in quotes keeps its length; no other pair grows.
    const out = Buffer.allocUnsafe(bytes.length);
    let used = 0;
    const put = (byte: number) => {
      out[used] = byte;
      used += 1;
    };
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      const next = bytes[at + 1];
      const isPair = byte === escapes || (byte === quotes && isQuoted);
      if (isPair && next === undefined) {
        held = byte;
        break;
      }
      if (byte === escapes && (next === quotes || next === escapes)) {
        if (next === quotes && isQuoted) put(quotes);
        put(next);
        at += 1;
        isAtStart = false;
      } else if (byte === quotes && isQuoted && next === quotes) {
        put(byte);
        put(byte);
        at += 1;
      } else {
        if (byte === quotes) isQuoted = !isQuoted && isAtStart;
        isAtStart = !isQuoted && (begins.has(byte) || (isAtStart && byte === space));
        put(byte);
      }
    }
    return out.subarray(0, used);
  }

  return { write, end: () => (held === undefined ? Buffer.alloc(0) : Buffer.of(held)) };
}
