import { nulReason } from '../bad-file.ts';
import { endOfFields, parseFields } from './fields.ts';
import {
  type BrokenRecords,
  collectBroken,
  createRecordFile,
  numberingOf,
  type RecordFile,
} from './record-file.ts';
import { createSplitter, type RecordLayout } from './split.ts';
import type { Numbering } from './table.ts';
import { countRecords, type PageSpan, type RecordCounter, type RecordWindow } from './window.ts';

export interface NumberedFile {
  path: string;
  numbering: Numbering;
  /** Records of the file, including broken ones; null if reading stopped before the end. */
  total: number | null;
  page: PageSpan;
  close(): Promise<void>;
}

export interface NumberedLayout extends RecordLayout {
  columns: number;
  /** What the engine's reader reads as null: such fields after the last column are accepted. */
  nulls: readonly string[];
  /** Whether records that lack trailing fields get them, empty. */
  isPadded: boolean;
}

interface RecordFiles {
  records: RecordFile;
  /** One line of five numbers per ill-shaped record, whose text is in `aside`. */
  illShaped: RecordFile;
  aside: RecordFile;
}

/** Path of the file for ill-shaped records, next to that for records. */
export const illShapedPath = (path: string): string => `${path}.ill-shaped`;

/**
 * Writes a file's records to a local file, each as `line,at,bytes,` and its text, terminated by a line feed,
 * so that the engine can read records in parallel and still know the location of each. `at` and `bytes` are
 * the position and length of the record's text in the local file.
 *
 * For a record with a wrong number of fields, the engine would store an error per field: gigabytes for a file
 * of some kilobytes. Such records are written to separate files, as `line,at,bytes,fields,aside` and their
 * text.
 */
export async function numberRecords(
  chunks: AsyncIterable<Buffer>,
  layout: NumberedLayout,
  path: string,
  window?: RecordWindow,
): Promise<NumberedFile> {
  const files: RecordFiles = {
    records: await createRecordFile(path),
    illShaped: await createRecordFile(illShapedPath(path)),
    aside: await createRecordFile(`${path}.aside`),
  };
  const all = Object.values(files) as RecordFile[];
  const close = async (): Promise<void> => {
    for (const file of all) await file.close();
  };
  try {
    const broken = collectBroken();
    const counter = countRecords(window);
    const { isAtEnd, ...counts } = await copyRecords(chunks, layout, files, broken, counter);
    for (const file of all) await file.flush(true);
    return {
      path,
      numbering: numberingOf(counts, broken, files.records, files.aside),
      total: isAtEnd ? counter.seen() : null,
      page: counter.span(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function copyRecords(
  chunks: AsyncIterable<Buffer>,
  layout: NumberedLayout,
  { records, illShaped, aside }: RecordFiles,
  broken: BrokenRecords,
  counter: RecordCounter,
): Promise<Pick<Numbering, 'records' | 'illShaped' | 'short'> & { isAtEnd: boolean }> {
  const separator = layout.separator.toString();
  const lineFeed = Buffer.from('\n');
  const counts = { records: 0, illShaped: 0, short: 0 };
  const splitter = createSplitter(
    { ...layout, isCounted: true, keepsEmptyLines: layout.columns === 1 },
    (bytes, line, found, fields) => {
      const fault = found ?? (bytes.includes(0) ? nulReason : undefined);
      const position = records.position();
      if (!counter.next(position)) return;
      const isIll = fault === undefined && isIllShaped(bytes, fields, layout, separator);
      // The engine skips an empty line, which keeps the positions of such records distinct.
      if (isIll || fault !== undefined) records.append(lineFeed);
      if (fault !== undefined) {
        broken.add({ line, at: position, raw: bytes.toString(), reason: fault });
        return;
      }
      counts.records += 1;
      const missing = Math.max(0, layout.columns - fields);
      if (missing > 0) counts.short += 1;
      if (isIll) {
        counts.illShaped += 1;
        illShaped.appendText(`${line},${position},${bytes.length},${fields},${aside.position()}\n`);
        aside.append(bytes);
        return;
      }
      // The prefix contains its own length, so the digits are counted before it is written.
      const head = `${line}${separator}`;
      const text = fields > layout.columns ? withoutSurplus(bytes, layout) : bytes;
      const tail = `${separator}${text.length}${separator}`;
      const at = startOf(position, Buffer.byteLength(head) + Buffer.byteLength(tail));
      records.appendText(`${head}${at}${tail}`);
      records.append(text);
      if (missing > 0) records.appendText(separator.repeat(missing));
      records.append(lineFeed);
    },
  );
  for await (const chunk of chunks) {
    splitter.write(chunk);
    for (const file of [records, illShaped, aside]) await file.flush();
    if (counter.isDone()) return { ...counts, isAtEnd: false };
  }
  splitter.end();
  return { ...counts, isAtEnd: true };
}

/** Empty fields after the last column are accepted, like in the engine's reader. */
function isIllShaped(bytes: Buffer, fields: number, layout: NumberedLayout, separator: string): boolean {
  const { columns, quote, nulls, isPadded } = layout;
  if (fields <= columns) return fields < columns && !isPadded;
  const found = parseFields(bytes.toString(), separator, characterOf(quote));
  return found.slice(columns).some((field) => field !== '' && !nulls.includes(field));
}

/** The engine takes an empty field after the last column for none only if it is not in quotes. */
function withoutSurplus(bytes: Buffer, { columns, quote, separator }: NumberedLayout): Buffer {
  const record = bytes.toString('latin1');
  return bytes.subarray(0, endOfFields(record, columns, separator.toString('latin1'), characterOf(quote)));
}

const characterOf = (quote: number | undefined) =>
  quote === undefined ? undefined : String.fromCharCode(quote);

function startOf(position: number, otherBytes: number): number {
  let at = position + otherBytes + 1;
  while (position + otherBytes + String(at).length !== at) at = position + otherBytes + String(at).length;
  return at;
}
