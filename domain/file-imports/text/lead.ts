import type { SkippedLine } from '../contract.ts';
import { type ColumnKinds, isData } from './column-kinds.ts';
import { areEmptyBehind } from './names-line.ts';
import { endOf, isBlank, type SampleRecord } from './sample.ts';

/** A header is sought in as many records. */
const maxLead = 100;

interface LeadLine {
  record: SampleRecord;
  /** It has texts where the records below have numbers, dates and the like. */
  hasNames: boolean;
}

/** The records before the first that surely holds data. */
export interface Lead {
  lines: LeadLine[];
  /** False where no record of the sample is surely data: a table of texts. */
  isSure: boolean;
}

export function leadOf(records: readonly SampleRecord[], kinds: ColumnKinds, width: number): Lead {
  const lines: LeadLine[] = [];
  const haveComments = records.some((record) => !isBlank(record) && !isComment(record));
  for (const record of records.slice(0, maxLead)) {
    kinds.pass(record);
    const { data, names } = kinds.votes(record);
    const isRecord = record.fields.length >= width || data > 1;
    if (isRecord && !(haveComments && isComment(record)) && !isBlank(record) && isData(record, kinds))
      return { lines, isSure: true };
    lines.push({ record, hasNames: names > data });
  }
  return { lines, isSure: false };
}

const isComment = ({ fields }: SampleRecord): boolean => fields[0]!.startsWith('#');

export interface FoundHeader {
  header: SampleRecord | undefined;
  /** Undefined: the line after the header, or the first of the file. */
  firstDataRow: number | undefined;
  skipped: SkippedLine[];
}

/** The header among the lines before the data, and what else stands there. */
export function placeInLead(lead: Lead, records: readonly SampleRecord[], width: number): FoundHeader {
  const skipped: SkippedLine[] = [];
  const { lines } = lead;
  for (const [index, { record }] of lines.entries()) {
    const reason = notHeader(lead, index, records, width);
    if (reason === 'data') return { header: undefined, firstDataRow: record.line, skipped };
    if (reason === undefined) return withRepeats(record, lines, index, records, skipped);
    skipped.push({ line: record.line, reason });
  }
  // No header after them: what could be a record is one.
  const first = lines.findIndex(({ record }) => record.fields.length >= width);
  if (first !== -1) {
    const { line } = lines[first]!.record;
    return { header: undefined, firstDataRow: line, skipped: skipped.slice(0, first) };
  }
  return { header: undefined, firstDataRow: records[lines.length]?.line, skipped };
}

/** Why a line is not the header; 'data' where it could be a record, so that nothing from it on may be skipped. */
function notHeader(
  { lines, isSure }: Lead,
  index: number,
  records: readonly SampleRecord[],
  width: number,
): string | undefined {
  const { record } = lines[index]!;
  const { fields } = record;
  const isMended = fields.length === width || areEmptyBehind(record, records, fields.length, width);
  if (record.isBroken) return isMended ? undefined : 'data';
  if (width === 1) return undefined;
  const filled = fields.filter((field) => field.trim() !== '').length;
  const told = `Before the header: ${filled} of ${width} columns have a text`;
  if (filled <= 1 && (fields.length < width || width > 2)) return told;
  const laterNames = lines
    .slice(index + 1)
    .some((line) => line.hasNames && line.record.fields.length === width);
  if (fields.length === width) {
    if (isComment(record)) return laterNames ? told : undefined;
    const next = lines[index + 1];
    const nextFilled = next?.record.fields.filter((field) => field.trim() !== '').length ?? 0;
    const isAbove = next?.hasNames === true && next.record.fields.length === width && filled < nextFilled;
    return isAbove ? told : undefined;
  }
  if (laterNames) return `Before the header: ${fields.length} fields where the table has ${width}`;
  if (fields.length > width || isMended) return undefined;
  const laterWide = lines.slice(index + 1).some((line) => line.record.fields.length === width);
  return !isSure && laterWide
    ? `Before the header: ${fields.length} fields where the table has ${width}`
    : 'data';
}

/** A header that comes again at once is a header twice, not a record. */
function withRepeats(
  header: SampleRecord,
  lines: readonly LeadLine[],
  index: number,
  records: readonly SampleRecord[],
  skipped: SkippedLine[],
): FoundHeader {
  const names = header.fields.join('\0');
  let last = index;
  while (lines[last + 1]?.record.fields.join('\0') === names) last += 1;
  const repeats = lines.slice(index + 1, last + 1).map(({ record: { line } }) => ({
    line,
    reason: 'Repeats the header',
  }));
  // A broken header may have taken the next lines with it.
  const firstDataRow = header.isBroken ? undefined : (records[last + 1]?.line ?? endOf(lines[last]!.record));
  return { header, firstDataRow, skipped: [...skipped, ...repeats] };
}
