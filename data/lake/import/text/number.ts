import {
  type BrokenRecords,
  collectBroken,
  createRecordFile,
  numberingOf,
  type RecordFile,
} from './record-file.ts';
import { createSplitter, type RecordLayout } from './split.ts';
import type { Numbering } from './table.ts';

/** Which records to keep, counted from 0: all for an import, one page for a preview. */
export interface RecordWindow {
  from: number;
  to: number;
  /** Reads on to the end of the file for the number of its records. */
  countAll: boolean;
}

export interface NumberedFile {
  path: string;
  numbering: Numbering;
  /** Records of the file, the broken ones counted; null when the reading stopped before its end. */
  total: number | null;
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
    const { records, total } = await copyRecords(chunks, layout, file, broken, window);
    await file.flush(true);
    return { path, numbering: numberingOf(records, broken, file), total, close: () => file.close() };
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
  window: RecordWindow | undefined,
): Promise<{ records: number; total: number | null }> {
  const separator = layout.separator.toString();
  const { from, to } = window ?? { from: 0, to: Number.POSITIVE_INFINITY };
  const lineFeed = Buffer.from('\n');
  let seen = 0;
  let records = 0;
  const splitter = createSplitter(layout, (bytes, line, fault) => {
    const index = seen;
    seen += 1;
    if (index < from || index >= to) return;
    if (fault !== undefined) return broken.add(line, bytes.toString(), fault);
    records += 1;
    // The prefix holds its own length: digits are counted before they are written.
    const head = `${line}${separator}`;
    const tail = `${separator}${bytes.length}${separator}`;
    const at = startOf(file.position(), Buffer.byteLength(head) + Buffer.byteLength(tail));
    file.appendText(`${head}${at}${tail}`);
    file.append(bytes);
    file.append(lineFeed);
  });
  for await (const chunk of chunks) {
    splitter.write(chunk);
    await file.flush();
    if (window !== undefined && !window.countAll && seen > to) return { records, total: null };
  }
  splitter.end();
  return { records, total: seen };
}

function startOf(position: number, otherBytes: number): number {
  let at = position + otherBytes + 1;
  while (position + otherBytes + String(at).length !== at) at = position + otherBytes + String(at).length;
  return at;
}
