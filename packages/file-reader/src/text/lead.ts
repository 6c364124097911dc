import type { SkippedLine } from '../contract.ts';
import { type ColumnKinds, isData } from './column-kinds.ts';
import { areEmptyBehind } from './names-line.ts';
import { endOf, isBlank, type SampleRecord } from './sample.ts';

/** Number of records in which a header is searched. */
const maxLead = 100;
/**
 * Maximum lines with several values above a table of texts, in which a header cannot be identified with
 * certainty.
 */
const maxUnsure = 20;

interface LeadLine {
  record: SampleRecord;
  /** It has texts where the records below have numbers, dates and similar. */
  hasNames: boolean;
}

/** The records before the first one that is certainly data. */
export interface Lead {
  lines: LeadLine[];
  /** False if no record of the sample is certainly data, as in a table of texts. */
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
  /** Undefined: the line after the header, or the first line of the file. */
  firstDataRow: number | undefined;
  skipped: SkippedLine[];
}

/** Finds the header among the lines before the data, and classifies the other lines. */
export function placeInLead(lead: Lead, records: readonly SampleRecord[], width: number): FoundHeader {
  const above: SkippedLine[] = [];
  for (const [index, { record }] of lead.lines.entries()) {
    const role = roleOf(lead, index, records, width);
    if (role === 'header') return withRepeats(lead, index, records, width, above);
    if (role === 'record') break;
    above.push({ line: record.line, reason: role.reason });
  }
  // Without a header below them, only lines too narrow for a record are skipped.
  const first = lead.lines.findIndex(({ record }) => !isNote(record, width));
  const start = first === -1 ? lead.lines.length : first;
  return { header: undefined, firstDataRow: records[start]?.line, skipped: above.slice(0, start) };
}

type Role = 'header' | 'record' | { reason: string };

/**
 * Role of a line before the data: the header, a record, which ends the search, or a line above the header.
 */
function roleOf(
  { lines, isSure }: Lead,
  index: number,
  records: readonly SampleRecord[],
  width: number,
): Role {
  const { record } = lines[index]!;
  const { fields } = record;
  const isMended = fields.length === width || areEmptyBehind(record, records, fields.length, width);
  if (record.isBroken) return isMended ? 'header' : 'record';
  if (width === 1) return 'header';
  const filled = filledOf(record);
  const skipped = { reason: `Before the header: only ${filled} of ${width} columns have a text` };
  if (isNote(record, width) || (filled <= 1 && width > 2)) return skipped;
  const later = lines.slice(index + 1).filter((line) => line.record.fields.length === width);
  const hasNamesLater = later.some(({ hasNames }) => hasNames);
  if (fields.length === width) {
    if (isComment(record)) return hasNamesLater ? skipped : 'header';
    const next = lines[index + 1];
    const isGroups = next === later[0] && next?.hasNames === true && filled < filledOf(next.record);
    return isGroups ? skipped : 'header';
  }
  const skippedForWidth = {
    reason: `Before the header: the line has ${fields.length} fields, but the table has ${width}`,
  };
  if (hasNamesLater) return skippedForWidth;
  if (fields.length > width || isMended) return 'header';
  return !isSure && later.length > 0 && index < maxUnsure ? skippedForWidth : 'record';
}

const filledOf = ({ fields }: SampleRecord): number => fields.filter((field) => field.trim() !== '').length;

/** A line too narrow for a record, with at most one value. */
const isNote = (record: SampleRecord, width: number): boolean =>
  !record.isBroken && record.fields.length < width && filledOf(record) <= 1;

/** Header lines that directly repeat the header are skipped. */
function withRepeats(
  { lines }: Lead,
  index: number,
  records: readonly SampleRecord[],
  width: number,
  skipped: SkippedLine[],
): FoundHeader {
  const header = lines[index]!.record;
  const names = header.fields.join('\0');
  let last = index;
  while (lines[last + 1]?.record.fields.join('\0') === names) last += 1;
  // In a table of texts, identical lines may be identical records.
  if (lines[last]?.hasNames !== true) last = index;
  const repeats = lines.slice(index + 1, last + 1).map(({ record: { line } }) => ({
    line,
    reason: 'The line repeats the header',
  }));
  // A broken header may have swallowed the next lines.
  const end = endOf(lines[last]!.record);
  const firstDataRow = header.isBroken ? undefined : width === 1 ? end : (records[last + 1]?.line ?? end);
  return { header, firstDataRow, skipped: [...skipped, ...repeats] };
}
