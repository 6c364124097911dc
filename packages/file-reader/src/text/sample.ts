import { parseFields, parseFieldsLiterally } from './fields.ts';
import { createSplitter } from './split.ts';

const sampleRecords = 1_000;

export interface SampleRecord {
  line: number;
  /** For a broken record, those of its first line, with misplaced quotes as ordinary characters. */
  fields: string[];
  isBroken: boolean;
}

/** The first records of a file's head, without one truncated at its end. */
export function sample(
  bytes: Buffer,
  isWhole: boolean,
  separator: string,
  quote: string | undefined,
): SampleRecord[] {
  const records: SampleRecord[] = [];
  const layout = { separator: Buffer.from(separator), quote: quote?.charCodeAt(0), skipLines: 0 };
  const splitter = createSplitter(layout, (record, line, fault) => {
    if (records.length >= sampleRecords) return;
    const text = record.toString();
    const fields =
      fault === undefined
        ? parseFields(text, separator, quote)
        : parseFieldsLiterally(text.split(/[\r\n]/, 1)[0]!, separator, quote);
    records.push({ line, fields, isBroken: fault !== undefined });
  });
  splitter.write(bytes);
  if (isWhole || records.length === 0) splitter.end();
  return records;
}

export const isBlank = ({ fields }: SampleRecord): boolean => fields.every((field) => field.trim() === '');

/** The line after a record; a broken record ends with its first line. */
export function endOf({ line, fields, isBroken }: SampleRecord): number {
  if (isBroken) return line + 1;
  return line + 1 + fields.reduce((count, field) => count + (field.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}

/**
 * The most frequent width; if others are nearly as frequent, the one that occurs first. Widths of at least
 * two fields are preferred to one.
 */
export function usualWidth(records: readonly SampleRecord[]): number {
  const counts = new Map<number, number>();
  for (const record of records)
    if (!record.isBroken && !isBlank(record))
      counts.set(record.fields.length, (counts.get(record.fields.length) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  // A map preserves the order in which the widths occurred.
  const near = [...counts].filter(([, count]) => count >= most * nearlyAsMany).map(([width]) => width);
  return near.find((width) => width > 1) ?? near[0] ?? records[0]?.fields.length ?? 1;
}

const nearlyAsMany = 0.8;
