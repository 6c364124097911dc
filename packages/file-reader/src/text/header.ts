import { BadFileError, maxColumns } from '../bad-file.ts';
import type { CsvOptions, SkippedLine } from '../contract.ts';
import { columnKinds } from './column-kinds.ts';
import { leadOf, placeInLead } from './lead.ts';
import { namesOf } from './names-line.ts';
import { endOf, type SampleRecord, usualWidth } from './sample.ts';

export interface HeaderPlace {
  /** One name per column; empty names if there is no header. */
  header: string[];
  /** Physical lines, 1-based; `headerRow` is 0 for a file without a header. */
  headerRow: number;
  firstDataRow: number;
  /** What is not read although the options do not skip it, and why. */
  skipped: SkippedLine[];
}

/**
 * Finds the start of the names and of the data; given options are used unchanged. `firstLine` is the first
 * line of the table, or of the lines before it.
 *
 * @throws BadFileError
 */
export function findHeader(
  records: readonly SampleRecord[],
  options: CsvOptions,
  firstLine: number,
): HeaderPlace {
  if (records.length === 0) throw new BadFileError('empty_file', 'The file has no records');
  const place = placeOf(records, options, firstLine);
  if (place.header.length > maxColumns) {
    throw new BadFileError(
      'too_many_columns',
      `The file has ${place.header.length} columns; the limit is ${maxColumns}`,
    );
  }
  return place;
}

function placeOf(records: readonly SampleRecord[], options: CsvOptions, firstLine: number): HeaderPlace {
  const { headerRow, firstDataRow } = options;
  if (headerRow === 0 || firstDataRow === 1) return withoutHeader(records, firstDataRow ?? firstLine, []);
  if (headerRow !== undefined) return givenHeader(records, headerRow, firstDataRow);
  const width = usualWidth(records);
  // Too many columns: the caller rejects the file.
  if (width > maxColumns) return withoutHeader(records, firstLine, []);
  const lead =
    firstDataRow === undefined
      ? leadOf(records, columnKinds(records, width), width)
      : { lines: records.filter(({ line }) => line < firstDataRow).map(unjudged), isSure: false };
  const found = placeInLead(lead, records, width);
  if (found.header === undefined) {
    return withoutHeader(records, firstDataRow ?? found.firstDataRow ?? firstLine, found.skipped);
  }
  const { names, note } = namesOf(found.header, records, width);
  const { line } = found.header;
  return {
    header: names,
    headerRow: line,
    firstDataRow: firstDataRow ?? found.firstDataRow ?? endOf(found.header),
    skipped: note === undefined ? found.skipped : [...found.skipped, { line, reason: note }],
  };
}

const unjudged = (record: SampleRecord) => ({ record, hasNames: false });

function givenHeader(
  records: readonly SampleRecord[],
  headerRow: number,
  firstDataRow: number | undefined,
): HeaderPlace {
  const found = records.find(({ line }) => line === headerRow);
  if (found === undefined) {
    throw new BadFileError('malformed_file', `The file has no record in the header row ${headerRow}`, {
      line: headerRow,
    });
  }
  const next = records[records.indexOf(found) + 1];
  const data = records.filter(({ line }) => line >= (firstDataRow ?? next?.line ?? 0));
  const { names, note } = namesOf(found, records, usualWidth(data));
  return {
    header: names,
    headerRow,
    firstDataRow: firstDataRow ?? next?.line ?? endOf(found),
    skipped: note === undefined ? [] : [{ line: headerRow, reason: note }],
  };
}

function withoutHeader(
  records: readonly SampleRecord[],
  firstDataRow: number,
  skipped: SkippedLine[],
): HeaderPlace {
  const data = records.filter(({ line }) => line >= firstDataRow);
  const width = usualWidth(data.length === 0 ? records : data);
  return { header: Array.from({ length: width }, () => ''), headerRow: 0, firstDataRow, skipped };
}
