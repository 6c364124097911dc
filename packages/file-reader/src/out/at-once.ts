import type { RecordPlace } from '../text/table.ts';

/** Maximum bytes of record texts held in memory; a single record may have some megabytes. */
const maxBytes = 64 * 1024 * 1024;

/** As many of the first records as fit in memory, at least one. */
export function atOnce<T extends Pick<RecordPlace, 'bytes'>>(records: readonly T[]): T[] {
  let bytes = 0;
  const end = records.findIndex((record, index) => {
    bytes += record.bytes;
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? [...records] : records.slice(0, end);
}
