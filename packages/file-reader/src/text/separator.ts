import { BadFileError } from '../bad-file.ts';
import type { CsvOptions } from '../contract.ts';
import { classOf, missing, nothing, text } from './cell-class.ts';
import { isBlank, type SampleRecord, sample } from './sample.ts';

/** Others (`^`, `~`, `:`) occur in too many values; they must be given explicitly. */
export const candidates = [',', ';', '\t', '|'];
const judgedBytes = 128 * 1024;
/**
 * Minimum shares of the records, from the first one that is split: those with several fields, and those with
 * the same number of fields.
 */
const mostlySplit = 0.5;
const evenlySplit = 0.3;
/** Weight of typed values (numbers, dates), which decides between separators that split nearly as evenly. */
const weightOfKinds = 0.2;
/** Number of records in which typed values are counted. */
const kindRecords = 100;

/** The declaration that spreadsheets write before the header: `sep=;`. */
export function declaredSeparator(bytes: Buffer): string | undefined {
  return /^"?sep=([^\r\n"\d\0])"?(?=[\r\n]|$)/i.exec(bytes.toString('utf8', 0, 16))?.[1];
}

/**
 * The separator with which most records of the sample have the same number of fields, more than one. If there
 * is none, the file has one column, and the comma is returned, or the semicolon where the comma is taken.
 *
 * @throws BadFileError quote_separates_columns, thousands_separates_columns: if only what is given as quote,
 *   or to group digits, splits the records
 */
export function detectSeparator(bytes: Buffer, quote: string | undefined, options: CsvOptions): string {
  const { thousands } = options;
  const part = bytes.subarray(0, judgedBytes);
  const scoreOf = (separator: string, enclosedBy: string | undefined) => {
    const records = sample(part, part.length === bytes.length, separator, enclosedBy).filter(
      (record) => record.line >= (options.headerRow ?? 1) && !isBlank(record),
    );
    return evenness(records, options.headerRow !== undefined);
  };
  const free = candidates.filter((separator) => separator !== thousands && separator !== quote);
  let best = { separator: free[0]!, score: 0 };
  for (const separator of free) {
    const score = scoreOf(separator, quote);
    if (score > best.score) best = { separator, score };
  }
  if (best.score > 0) {
    if (options.headerRow !== undefined || options.firstDataRow !== undefined) return best.separator;
    const splitBy = (separator: string) =>
      sample(part, part.length === bytes.length, separator, quote).filter((record) => !isBlank(record));
    return separatorOfHeader(best.separator, free, splitBy);
  }
  for (const separator of candidates) {
    if (separator === quote && scoreOf(separator, undefined) > 0) throw clash('quote', separator);
    if (separator === thousands && scoreOf(separator, quote) > 0) throw clash('thousands', separator);
  }
  return best.separator;
}

/**
 * The separator that splits the first line, where the one that splits most records leaves it whole: records
 * that lack trailing fields hold the other one as often as any, in `1,50` or `April 5, 2023`. Without such a
 * separator, the first line may be the name of one column whose values hold the separator.
 */
function separatorOfHeader(
  best: string,
  others: readonly string[],
  splitBy: (separator: string) => readonly SampleRecord[],
): string {
  const [first, ...rest] = splitBy(best);
  if (first === undefined || first.fields.length > 1 || rest.length === 0) return best;
  for (const candidate of others) {
    if (candidate === best) continue;
    const [header, ...records] = splitBy(candidate);
    const width = header?.fields.length ?? 1;
    if (width < 2 || header!.fields.some((field) => field.trim() === '')) continue;
    const ragged = records.filter(({ fields }) => fields.length > 1 && fields.length <= width);
    if (ragged.length >= records.length * mostlyRagged) return candidate;
  }
  const unused = others.find((other) => splitBy(other).every(({ fields }) => fields.length === 1));
  return unused !== undefined && isOneColumn(rest) ? unused : best;
}

/** Share of the records that a separator of the header splits into at most as many fields. */
const mostlyRagged = 0.8;

/**
 * Whether records of two fields below a line of one are rather one value each: `Doe, John`, as people write
 * it, or `1,50` with a decimal comma. Names above numbers are a header, and the line above them a title.
 */
function isOneColumn(records: readonly SampleRecord[]): boolean {
  if (records.some(({ fields, isBroken }) => isBroken || fields.length !== 2)) return false;
  const isWritten = records.every(({ fields }) => /^ \S/.test(fields[1]!) && /[^\s\d]$/.test(fields[0]!));
  const isDecimal = records.every(
    ({ fields }) => /^[+-]?\d+$/.test(fields[0]!) && /^\d{1,3}$/.test(fields[1]!),
  );
  return isWritten || isDecimal;
}

/** What the first line declares. @throws BadFileError the same */
export function checkedDeclaration(
  separator: string | undefined,
  quote: string | undefined,
  thousands: string | undefined,
): string | undefined {
  if (separator === undefined) return undefined;
  if (separator === quote) throw clash('quote', separator);
  if (separator === thousands) throw clash('thousands', separator);
  return separator;
}

const clash = (option: 'quote' | 'thousands', separator: string) =>
  new BadFileError(
    `${option}_separates_columns`,
    `The columns of the file are separated by ${separator}, which is also set as ${option === 'quote' ? 'quote_character' : option}. Omit that, or set another column_separator`,
  );

function evenness(records: readonly SampleRecord[], isHeaderGiven: boolean): number {
  const first = records.findIndex(({ fields }) => fields.length > 1);
  if (first === -1) return 0;
  const rest = records.slice(first);
  const split = rest.filter(({ fields }) => fields.length > 1);
  const [width, count] = usual(split);
  const isTable =
    split.length >= rest.length * mostlySplit && count >= rest.length * evenlySplit && rest.length >= first;
  const startsAsTable = rest.length > 1 && rest[0]?.fields.length === rest[1]?.fields.length && first === 0;
  if (!isTable && !startsAsTable && !isHeaderGiven) return 0;
  const share = count / records.length;
  // More fields break a tie between two separators that both split every record evenly.
  return share * (1 + weightOfKinds * kindShare(split) + Math.min(width, 50) / 1_000);
}

function usual(records: readonly SampleRecord[]): [width: number, count: number] {
  const counts = new Map<number, number>();
  for (const { fields } of records) counts.set(fields.length, (counts.get(fields.length) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0]);
}

/**
 * Share of values that are numbers, dates, codes and similar; a value that still contains another separator
 * does not count.
 */
function kindShare(records: readonly SampleRecord[]): number {
  let all = 0;
  let known = 0;
  for (const { fields } of records.slice(0, kindRecords)) {
    for (const field of fields) {
      const kind = classOf(field);
      if (kind === nothing || kind === missing) continue;
      all += 1;
      if (kind !== text && !/[,;\t|]/.test(kind)) known += 1;
    }
  }
  return all === 0 ? 0 : known / all;
}
