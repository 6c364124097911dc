import { parseFields } from './fields.ts';
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
  /** Records of the file, the broken ones counted; null when the reading stopped before its end. */
  total: number | null;
  page: PageSpan;
  close(): Promise<void>;
}

export interface NumberedLayout extends RecordLayout {
  columns: number;
  /** What the engine's reader takes for null: such fields behind the last column are no fault. */
  nulls: readonly string[];
}

interface RecordFiles {
  records: RecordFile;
  /** Of each ill-shaped record a line of five numbers, and the texts of them. */
  illShaped: RecordFile;
  aside: RecordFile;
}

/** The file of ill-shaped records beside the one of records. */
export const illShapedPath = (path: string): string => `${path}.ill-shaped`;

/**
 * Writes a file's records to a local one, each as `line,at,bytes,` and its own text, ended by a line feed:
 * the engine then reads records in parallel and still knows where each one stands. `at` and `bytes` say where
 * in that local file the record's own text is.
 *
 * A record with another number of fields than the table has columns would make the engine remember an error
 * for every field: gigabytes, for a file of some kilobytes. So it stands in files of its own, as
 * `line,at,bytes,fields,aside` and its text.
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
): Promise<{ records: number; illShaped: number; isAtEnd: boolean }> {
  const separator = layout.separator.toString();
  const lineFeed = Buffer.from('\n');
  const counts = { records: 0, illShaped: 0 };
  const splitter = createSplitter({ ...layout, isCounted: true }, (bytes, line, fault, fields) => {
    const position = records.position();
    if (!counter.next(position)) return;
    const isIll = fault === undefined && isIllShaped(bytes, fields, layout, separator);
    // The engine passes over an empty line; it keeps the places of such records apart.
    if (isIll || fault !== undefined) records.append(lineFeed);
    if (fault !== undefined) {
      broken.add({ line, at: position, raw: bytes.toString(), reason: fault });
      return;
    }
    counts.records += 1;
    if (isIll) {
      counts.illShaped += 1;
      illShaped.appendText(`${line},${position},${bytes.length},${fields},${aside.position()}\n`);
      aside.append(bytes);
      return;
    }
    // The prefix holds its own length: digits are counted before they are written.
    const head = `${line}${separator}`;
    const tail = `${separator}${bytes.length}${separator}`;
    const at = startOf(position, Buffer.byteLength(head) + Buffer.byteLength(tail));
    records.appendText(`${head}${at}${tail}`);
    records.append(bytes);
    records.append(lineFeed);
  });
  for await (const chunk of chunks) {
    splitter.write(chunk);
    for (const file of [records, illShaped, aside]) await file.flush();
    if (counter.isDone()) return { ...counts, isAtEnd: false };
  }
  splitter.end();
  return { ...counts, isAtEnd: true };
}

/** Fields behind the last column are let pass where they are empty, as the engine's reader does. */
function isIllShaped(bytes: Buffer, fields: number, layout: NumberedLayout, separator: string): boolean {
  const { columns, quote, nulls } = layout;
  if (fields <= columns) return fields < columns;
  const found = parseFields(
    bytes.toString(),
    separator,
    quote === undefined ? undefined : String.fromCharCode(quote),
  );
  return found.slice(columns).some((field) => field !== '' && !nulls.includes(field));
}

function startOf(position: number, otherBytes: number): number {
  let at = position + otherBytes + 1;
  while (position + otherBytes + String(at).length !== at) at = position + otherBytes + String(at).length;
  return at;
}
