import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { maxRowBytes } from '../../data-connections/sources/watch.ts';

/** How the values of one file come into the order of another. */
export interface Reordering {
  separator: string;
  /** For each column of the result, its place in the file. */
  places: readonly number[];
}

const quote = '"';
const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * How rows under `header` are read under `wanted`; undefined if the two do not have the same names.
 *
 * @param separators tried in turn; the same one separates both
 */
export function orderOf(
  wanted: string,
  header: string,
  separators: readonly string[],
): 'same' | Reordering | undefined {
  for (const separator of separators) {
    const names = namesIn(wanted, separator);
    const given = namesIn(header, separator);
    if (names.length !== given.length) continue;
    if (names.every((name, index) => name === given[index])) return 'same';
    const places = names.map((name) => given.indexOf(name));
    if (new Set(given).size === given.length && !places.includes(-1)) return { separator, places };
  }
  return undefined;
}

/** The names of a header in one line, without their quotes. */
function namesIn(header: string, separator: string): string[] {
  const names: string[] = [];
  let rest = header;
  for (;;) {
    const quoted = rest.startsWith(quote) ? closingQuote(rest) : undefined;
    const end = rest.indexOf(separator, quoted ?? 0);
    const whole = end === -1 ? rest : rest.slice(0, end);
    names.push(quoted === undefined ? whole : whole.slice(1, quoted).replaceAll('""', quote));
    if (end === -1) return names;
    rest = rest.slice(end + separator.length);
  }
}

/** Where the quote closes that the text begins with. */
function closingQuote(text: string): number | undefined {
  let at = text.indexOf(quote, 1);
  while (at !== -1 && text[at + 1] === quote) at = text.indexOf(quote, at + 2);
  return at === -1 ? undefined : at;
}

/**
 * The same rows with their values in another order. A row with more or fewer values stays as it is, and is a
 * bad row to its reader.
 */
export async function* reordered(
  source: AsyncIterable<Buffer>,
  { separator, places }: Reordering,
): AsyncGenerator<Buffer> {
  const separates = separator.charCodeAt(0);
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const { rows, end } = rowsIn(held, separates);
    const parts = rows.map((row) => rowInOrder(held, row, { places, separator }));
    held = held.subarray(end);
    if (held.length > maxRowBytes)
      throw new RemoteFailure('request', "A row is too long, or a quote isn't closed.");
    if (parts.length > 0) yield Buffer.concat(parts);
  }
  if (held.length === 0) return;
  const last = Buffer.concat([held, Buffer.of(newline)]);
  const { rows, end } = rowsIn(last, separates);
  for (const row of rows) yield rowInOrder(last, row, { places, separator });
  // What a quote that is not closed leaves is a bad row too.
  if (end < last.length) yield last.subarray(end);
}

/** Ends of the values of a row, the last of which is where its line break begins. */
interface Row {
  start: number;
  valueEnds: number[];
  end: number;
}

/** The whole rows, and where the last of them ends. */
function rowsIn(bytes: Buffer, separates: number): { rows: Row[]; end: number } {
  const rows: Row[] = [];
  let start = 0;
  let valueEnds: number[] = [];
  let valueStart = 0;
  let isQuoted = false;
  let closedAt = -2;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === 0x22) {
      // A doubled quote closes and opens again; one within a plain value is a sign like any other.
      const opens = at === valueStart || closedAt === at - 1;
      if (isQuoted) closedAt = at;
      isQuoted = !isQuoted && opens;
      continue;
    }
    if (isQuoted || (byte !== separates && byte !== newline)) continue;
    const isEnd = byte === newline;
    valueEnds.push(isEnd && bytes[at - 1] === carriageReturn && at > valueStart ? at - 1 : at);
    valueStart = at + 1;
    if (!isEnd) continue;
    rows.push({ start, valueEnds, end: at + 1 });
    start = at + 1;
    valueEnds = [];
  }
  return { rows, end: start };
}

function rowInOrder(
  bytes: Buffer,
  { start, valueEnds, end }: Row,
  { places, separator }: Reordering,
): Buffer {
  if (valueEnds.length !== places.length) return bytes.subarray(start, end);
  const values = places.map((place) =>
    bytes.subarray(place === 0 ? start : valueEnds[place - 1]! + 1, valueEnds[place]),
  );
  const between = Buffer.from(separator);
  const parts = values.flatMap((value, index) => (index === 0 ? [value] : [between, value]));
  return Buffer.concat([...parts, bytes.subarray(valueEnds.at(-1)!, end)]);
}
