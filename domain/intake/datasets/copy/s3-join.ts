import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { type CsvOptions, detectQuote } from '../../../../packages/file-reader/index.ts';
import type { ListedObject, ObjectFormat } from './s3-objects.ts';
import { orderOf, type Reordering, reordered } from './s3-order.ts';

const maxHeaderBytes = 1_048_576;
const newline = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The lines of all files, concatenated. Files with headers must all have the names of the first, whose header
 * occurs once; the values of a file that has them in another order are put into that of the first.
 *
 * @param lines receives the function that translates a line number of the whole to a line of a file
 */
export async function* joinTexts(
  files: readonly ListedObject[],
  read: (file: ListedObject) => AsyncIterable<Buffer>,
  { format, csv }: { format: ObjectFormat; csv: CsvOptions },
  lines: { of: (line: number) => string },
): AsyncGenerator<Buffer> {
  const { headerRow = 1, firstDataRow } = csv;
  if (files.length > 1 && (headerRow > 1 || firstDataRow !== undefined))
    throw new RemoteFailure(
      'request',
      'The service reads several files from their first line. Omit csv.first_data_row, and omit csv.header_row or set it to 0 or 1. Or create a dataset for each file.',
    );
  const hasHeaders = format !== 'ndjson' && files.length > 1 && headerRow === 1;
  const starts: { key: string; before: number }[] = [];
  lines.of = (line) => {
    const { key, before } = starts.findLast((start) => start.before < line) ?? starts[0]!;
    return `Line ${line - before + (hasHeaders && key !== starts[0]!.key ? 1 : 0)} of ${key}`;
  };
  const possible = separatorsOf(format, csv);
  let seen = 0;
  let first: string | undefined;
  for (const file of files) {
    starts.push({ key: file.key, before: seen });
    let endsLine = true;
    for await (const chunk of hasHeaders ? withoutHeader(read(file), check(file)) : read(file)) {
      if (chunk.length === 0) continue;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) seen += 1;
      endsLine = chunk.at(-1) === newline;
      yield chunk;
    }
    if (endsLine || files.length === 1) continue;
    seen += 1;
    yield Buffer.from('\n');
  }

  /** What to do with the lines of a file. */
  function check({ key }: ListedObject): (header: Buffer, body: Buffer) => HeaderUse {
    return (header, body) => {
      const isQuoted = detectQuote(body) === '"';
      const fault = headerFault(header);
      if (fault !== undefined)
        throw new RemoteFailure(
          'request',
          `${key} ${fault}, so it can't be read together with other files. Create a dataset for this file.`,
        );
      // Whatever the encoding is, bytes are compared.
      const text = header.toString('latin1').trimEnd();
      if (first === undefined) {
        first = text;
        return 'keep';
      }
      const order = text === first ? 'same' : orderOf(first, text, isQuoted ? possible : []);
      if (order !== undefined) return order;
      throw new RemoteFailure(
        'request',
        `The column names in the first line of ${key} differ from those of ${files[0]!.key}. All files of a dataset must have the same columns and the same separator.`,
      );
    };
  }
}

/** The separators that allow another order of columns. None if the files have other quotes or escapes. */
function separatorsOf(format: ObjectFormat, csv: CsvOptions): string[] {
  const { columnSeparator: separator, quoteCharacter = '"', escapeCharacter = '' } = csv;
  if (quoteCharacter !== '"' || (escapeCharacter !== '' && escapeCharacter !== '"')) return [];
  if (separator !== undefined) return separator.charCodeAt(0) < 0x80 ? [separator] : [];
  return format === 'tsv' ? ['\t'] : [',', ';', '\t', '|'];
}

/** `same`: only the header is left out. Otherwise the values are put into another order. */
type HeaderUse = 'keep' | 'same' | Reordering;

function headerFault(header: Buffer): string | undefined {
  if (header.includes(0) || (header[0] === 0xff && header[1] === 0xfe)) return "isn't in UTF-8";
  if (header.length > maxHeaderBytes) return `has a first line longer than ${maxHeaderBytes / 1_048_576} MiB`;
  const quotes = header.filter((byte) => byte === 0x22).length;
  return quotes % 2 === 0 ? undefined : 'has a line break in a column name';
}

async function* withoutHeader(
  source: AsyncIterable<Buffer>,
  use: (header: Buffer, body: Buffer) => HeaderUse,
): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let end = -1;
  while (end === -1 && held.length <= maxHeaderBytes) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    held = Buffer.concat([held, value]);
    end = held.indexOf(newline);
  }
  if (held.length === 0) return;
  const body = end === -1 ? held.length : end + 1;
  const marked = held.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const used = use(held.subarray(marked, body), held.subarray(body));
  async function* rest(from: number): AsyncGenerator<Buffer> {
    yield held.subarray(from);
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  if (typeof used === 'object') yield* reordered(rest(body), used);
  else yield* rest(used === 'keep' ? 0 : body);
}
