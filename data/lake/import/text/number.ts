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

/**
 * Writes a file's records to a local one, each as `line,at,bytes,` and its own text, ended by a line feed:
 * the engine then reads records in parallel and still knows where each one stands. `at` and `bytes` say where
 * in that local file the record's own text is.
 */
export async function numberRecords(
  chunks: AsyncIterable<Buffer>,
  layout: RecordLayout,
  path: string,
  window?: RecordWindow,
): Promise<NumberedFile> {
  const file = await createRecordFile(path);
  try {
    const broken = collectBroken();
    const counter = countRecords(window);
    const { records, isAtEnd } = await copyRecords(chunks, layout, file, broken, counter);
    await file.flush(true);
    return {
      path,
      numbering: numberingOf(records, broken, file),
      total: isAtEnd ? counter.seen() : null,
      page: counter.span(),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function copyRecords(
  chunks: AsyncIterable<Buffer>,
  layout: RecordLayout,
  file: RecordFile,
  broken: BrokenRecords,
  counter: RecordCounter,
): Promise<{ records: number; isAtEnd: boolean }> {
  const separator = layout.separator.toString();
  const lineFeed = Buffer.from('\n');
  let records = 0;
  const splitter = createSplitter(layout, (bytes, line, fault) => {
    const position = file.position();
    if (!counter.next(position)) return;
    if (fault !== undefined) {
      broken.add({ line, at: position, raw: bytes.toString(), reason: fault });
      return;
    }
    records += 1;
    // The prefix holds its own length: digits are counted before they are written.
    const head = `${line}${separator}`;
    const tail = `${separator}${bytes.length}${separator}`;
    const at = startOf(position, Buffer.byteLength(head) + Buffer.byteLength(tail));
    file.appendText(`${head}${at}${tail}`);
    file.append(bytes);
    file.append(lineFeed);
  });
  for await (const chunk of chunks) {
    splitter.write(chunk);
    await file.flush();
    if (counter.isDone()) return { records, isAtEnd: false };
  }
  splitter.end();
  return { records, isAtEnd: true };
}

function startOf(position: number, otherBytes: number): number {
  let at = position + otherBytes + 1;
  while (position + otherBytes + String(at).length !== at) at = position + otherBytes + String(at).length;
  return at;
}
