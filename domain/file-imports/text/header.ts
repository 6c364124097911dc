import { BadFileError, maxColumns } from '../bad-file.ts';
import type { CsvOptions } from '../contract.ts';
import type { SampleRecord } from './sample.ts';

/** What is longer is read as no number. */
const maxNumberChars = 400;

export interface HeaderPlace {
  header: string[];
  /** Physical lines, 1-based; 0 for a file without a header. */
  headerRow: number;
  firstDataRow: number;
}

/**
 * Where names and data start. Without options, lines before the first record of the usual width are a
 * preamble, and that record is the header unless one of its values looks like data.
 */
export function findHeader(records: readonly SampleRecord[], options: CsvOptions): HeaderPlace {
  if (records.length === 0) throw new BadFileError('empty_file', 'The file has no records');
  const place = placeOf(records, options);
  if (place.header.length > maxColumns) {
    throw new BadFileError(
      'too_many_columns',
      `The file has ${place.header.length} columns; at most ${maxColumns} are read`,
    );
  }
  return place;
}

function placeOf(records: readonly SampleRecord[], options: CsvOptions): HeaderPlace {
  const { headerRow, firstDataRow } = options;
  if (headerRow === 0 || firstDataRow === 1) return withoutHeader(records, firstDataRow ?? 1);
  const width = usualWidth(records);
  const found =
    headerRow === undefined
      ? records.find(({ line, fields }) => line < (firstDataRow ?? line + 1) && fields.length === width)
      : records.find(({ line }) => line === headerRow);
  if (found === undefined) {
    if (headerRow === undefined) return withoutHeader(records, firstDataRow ?? 1);
    throw new BadFileError('malformed_file', `There is no record at the header row ${headerRow}`, {
      line: headerRow,
    });
  }
  if (headerRow === undefined && firstDataRow === undefined && looksLikeData(found.fields)) {
    return withoutHeader(records, found.line);
  }
  const next = records[records.indexOf(found) + 1];
  return {
    header: found.fields,
    headerRow: found.line,
    firstDataRow: firstDataRow ?? next?.line ?? found.line + 1 + innerLines(found.fields),
  };
}

function innerLines(fields: readonly string[]): number {
  return fields.reduce((count, field) => count + (field.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}

function withoutHeader(records: readonly SampleRecord[], firstDataRow: number): HeaderPlace {
  const data = records.filter(({ line }) => line >= firstDataRow);
  const width = usualWidth(data.length === 0 ? records : data);
  return { header: Array.from({ length: width }, () => ''), headerRow: 0, firstDataRow };
}

/** The width most records have; of equals the larger. */
function usualWidth(records: readonly SampleRecord[]): number {
  const counts = new Map<number, number>();
  for (const { fields } of records) counts.set(fields.length, (counts.get(fields.length) ?? 0) + 1);
  let best = { width: 1, count: 0 };
  for (const [width, count] of counts) {
    if (count > best.count || (count === best.count && width > best.width)) best = { width, count };
  }
  return best.width;
}

/** Numbers, dates and truth values do not name columns; a year alone may (a pivoted table has such headers). */
function looksLikeData(fields: readonly string[]): boolean {
  if (fields.every((field) => field.trim() === '')) return true;
  return fields.some((field) => {
    const text = field.trim();
    if (/^(19|20)\d\d$/.test(text)) return false;
    if (/^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(text)) return true;
    if (text.length > maxNumberChars) return false;
    // The first digit is sought before all others, so that no digit can be matched in two ways.
    return /^[+-]?[.,]*\d[\d.,]*(e[+-]?\d+)?$/i.test(text) || /^(true|false)$/i.test(text);
  });
}
