import type { RecordPlace } from '../text/table.ts';

/** Texts of records that are held in memory at once; a record alone may have some megabytes. */
const maxBytes = 64 * 1024 * 1024;

/** As many of the first records as may be held at once, one at least. */
export function atOnce<T extends Pick<RecordPlace, 'bytes'>>(records: readonly T[]): T[] {
  let bytes = 0;
  const end = records.findIndex((record, index) => {
    bytes += record.bytes;
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? [...records] : records.slice(0, end);
}
