import { parseFields } from './fields.ts';
import { createSplitter } from './split.ts';

const sampleRecords = 1_000;

export interface SampleRecord {
  line: number;
  fields: string[];
}

/** The first records of a file's start; one that the start cuts in two is left out. */
export function sample(
  bytes: Buffer,
  isWhole: boolean,
  separator: string,
  quote: string | undefined,
): SampleRecord[] {
  const records: SampleRecord[] = [];
  const layout = { separator: Buffer.from(separator), quote: quote?.charCodeAt(0), skipLines: 0 };
  const splitter = createSplitter(layout, (record, line) => {
    if (records.length < sampleRecords)
      records.push({ line, fields: parseFields(record.toString(), separator, quote) });
  });
  splitter.write(bytes);
  if (isWhole || records.length === 0) splitter.end();
  return records;
}
