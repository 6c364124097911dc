import { open } from 'node:fs/promises';
import { BadFileError } from '../bad-file.ts';
import type { BrokenRecord, Numbering, RecordPlace } from './table.ts';

/** Records within this distance are read with a single read. */
const readAheadBytes = 8 * 1024 * 1024;
const flushBytes = 1024 * 1024;
/** With more, the file is not a table with some bad lines, but something else. */
const maxBroken = 100_000;
const maxBrokenChars = 32 * 1024 * 1024;

/** An append-only local file, flushed in large writes. */
export interface RecordFile {
  readonly path: string;
  /** Bytes appended so far, which is the position of the next append. */
  position(): number;
  append(bytes: Buffer): void;
  appendText(text: string): void;
  /** Writes buffered data once there is enough of it, or if forced. */
  flush(force?: boolean): Promise<void>;
  read(at: number, bytes: number): Promise<Buffer>;
  close(): Promise<void>;
}

export async function createRecordFile(path: string): Promise<RecordFile> {
  const handle = await open(path, 'w+');
  let buffer = Buffer.allocUnsafe(flushBytes * 2);
  let used = 0;
  let written = 0;
  function reserve(bytes: number): void {
    if (used + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, used + bytes));
    buffer.copy(larger, 0, 0, used);
    buffer = larger;
  }
  return {
    path,
    position: () => written + used,
    append(bytes) {
      reserve(bytes.length);
      used += bytes.copy(buffer, used);
    },
    appendText(text) {
      reserve(text.length * 3);
      used += buffer.write(text, used);
    },
    async flush(force = false) {
      if (used === 0 || (!force && used < flushBytes)) return;
      await handle.write(buffer, 0, used, written);
      written += used;
      used = 0;
    },
    async read(at, bytes) {
      const target = Buffer.allocUnsafe(bytes);
      const { bytesRead } = await handle.read(target, 0, bytes, at);
      return target.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}

export interface BrokenRecords {
  readonly list: BrokenRecord[];
  add(record: BrokenRecord): void;
}

export function collectBroken(): BrokenRecords {
  const list: BrokenRecord[] = [];
  let chars = 0;
  return {
    list,
    add(record) {
      chars += record.raw.length;
      if (list.length >= maxBroken || chars > maxBrokenChars) {
        const { line, raw, reason } = list[0] ?? record;
        throw new BadFileError('malformed_file', "Too many lines of the file aren't records", {
          line,
          raw,
          reason,
        });
      }
      list.push(record);
    },
  };
}

/** `aside` is the file with the texts of records that have an `aside` position. */
export function numberingOf(
  counts: Pick<Numbering, 'records' | 'illShaped' | 'short'>,
  broken: BrokenRecords,
  raws: RecordFile,
  aside: RecordFile = raws,
): Numbering {
  async function readRaws(
    places: readonly RecordPlace[],
    maxBytes = Number.POSITIVE_INFINITY,
  ): Promise<string[]> {
    const cut = (at: number, bytes: number) => ({ at, bytes: Math.min(bytes, maxBytes) });
    const own = places.flatMap((place) => (place.aside === undefined ? [cut(place.at, place.bytes)] : []));
    const others = places.flatMap((place) =>
      place.aside === undefined ? [] : [cut(place.aside, place.bytes)],
    );
    const texts = (await readTexts(raws, own)).values();
    const textsAside = (await readTexts(aside, others)).values();
    return places.map((place) => (place.aside === undefined ? texts : textsAside).next().value ?? '');
  }
  return { ...counts, broken: broken.list, readRaws };
}

async function readTexts(file: RecordFile, places: readonly RecordPlace[]): Promise<string[]> {
  const raws: string[] = [];
  for (let start = 0; start < places.length; ) {
    const from = places[start]!.at;
    let end = start + 1;
    while (end < places.length && places[end]!.at + places[end]!.bytes - from <= readAheadBytes) end += 1;
    const last = places[end - 1]!;
    const bytes = await file.read(from, last.at + last.bytes - from);
    for (const place of places.slice(start, end)) {
      raws.push(bytes.toString('utf8', place.at - from, place.at - from + place.bytes));
    }
    start = end;
  }
  return raws;
}
