import { isUtf8 } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import type { LakeColumn } from '../../tables/columns.ts';
import { ByteWriter } from '../page/bytes.ts';
import type { PageReading, PageRules } from '../page/page.ts';
import { scanBody } from '../page/scan.ts';

export interface ScanTask {
  /** Where the feed is written, if the page has records. */
  path: string;
  /** The whole body, and the members allowed in addition to `records`. */
  bytes: Uint8Array;
  members: readonly string[];
  columns: readonly LakeColumn[];
  rules: PageRules;
}

/** A feed buffer larger than this is not reused for the next page. */
const maxKeptBytes = 8_388_608;
let feed = new ByteWriter(0);

/**
 * The quick reading of a page, with its feed written to a file. It runs for milliseconds per megabyte without
 * yielding, so larger pages are read in threads, which run this module. Undefined if the general reading must
 * decide.
 */
export function scanPage({ path, bytes, members, columns, rules }: ScanTask): PageReading | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(body)) return undefined;
  const scanned = scanBody(body, columns, rules, feed);
  if (scanned === undefined || !Object.keys(scanned.members).every((name) => members.includes(name)))
    return undefined;
  const { feed: text, ...page } = scanned.content;
  if (page.records > 0) writeFileSync(path, text);
  if (feed.buffer.length > maxKeptBytes) feed = new ByteWriter(0);
  return { ...page, feedBytes: text.length };
}
