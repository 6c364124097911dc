import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { ListedObject, ObjectFormat } from './s3-objects.ts';

const maxHeaderBytes = 1_048_576;
const newline = 0x0a;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The lines of all files, concatenated. Files with headers must all have that of the first; it occurs once.
 *
 * @param lines receives the function that translates a line number of the whole to a line of a file
 */
export async function* joinTexts(
  files: readonly ListedObject[],
  read: (file: ListedObject) => AsyncIterable<Buffer>,
  format: ObjectFormat,
  lines: { of: (line: number) => string },
): AsyncGenerator<Buffer> {
  const hasHeaders = format !== 'ndjson' && files.length > 1;
  const starts: { key: string; before: number }[] = [];
  lines.of = (line) => {
    const { key, before } = starts.findLast((start) => start.before < line) ?? starts[0]!;
    return `Line ${line - before + (hasHeaders && key !== starts[0]!.key ? 1 : 0)} of ${key}`;
  };
  let seen = 0;
  let names: string | undefined;
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

  /** Whether to keep the header: only that of the first file. */
  function check({ key }: ListedObject): (header: Buffer) => boolean {
    return (header) => {
      const fault = headerFault(header);
      if (fault !== undefined)
        throw new RemoteFailure(
          'request',
          `${key} ${fault}, so it cannot be read with others: make a dataset of it.`,
        );
      const text = header.toString('latin1').trimEnd();
      const isFirst = names === undefined;
      names ??= text;
      if (names !== text)
        throw new RemoteFailure(
          'request',
          `The first line of ${key} is not that of ${files[0]!.key}: files of one dataset begin with the same names of columns.`,
        );
      return isFirst;
    };
  }
}

function headerFault(header: Buffer): string | undefined {
  if (header.includes(0) || (header[0] === 0xff && header[1] === 0xfe)) return 'is not in UTF-8';
  if (header.length > maxHeaderBytes)
    return `has a first line of more than ${maxHeaderBytes / 1_048_576} MiB`;
  const quotes = header.filter((byte) => byte === 0x22).length;
  return quotes % 2 === 0 ? undefined : 'has a line break in a name of a column';
}

async function* withoutHeader(
  source: AsyncIterable<Buffer>,
  keeps: (header: Buffer) => boolean,
): AsyncGenerator<Buffer> {
  let held: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of source) {
    if (held === undefined) {
      yield chunk;
      continue;
    }
    held = Buffer.concat([held, chunk]);
    const end = held.indexOf(newline);
    if (end === -1 && held.length <= maxHeaderBytes) continue;
    yield split(held, end === -1 ? held.length : end + 1, keeps);
    held = undefined;
  }
  if (held !== undefined && held.length > 0) yield split(held, held.length, keeps);
}

/** The first bytes of a file, without the header unless it is kept. */
function split(bytes: Buffer, end: number, keeps: (header: Buffer) => boolean): Buffer {
  const marked = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  return keeps(bytes.subarray(marked, end)) ? bytes : bytes.subarray(end);
}
