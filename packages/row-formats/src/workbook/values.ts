import { RowFault } from '../fault.ts';
import { identifier, literal } from './sql.ts';
import { escapedName, escapedText, isUnheldName, isUnheldText, unheldText } from './texts.ts';
import { shownName, unheldMessage } from './unheld.ts';

const mostColumns = 16_384;
/** Excel keeps so many significant digits of a number. */
const digits = 15;
export const tooManyDigits = `a number of more than ${digits} digits`;

/** Which values of a type a workbook cannot hold, and why; undefined if it holds all. */
function unheld(dataType: string, value: string): { condition: string; why: string } | undefined {
  const tooLong = { why: tooManyDigits };
  if (dataType === 'INTEGER') {
    const most = '9'.repeat(digits);
    return { ...tooLong, condition: `${value} NOT BETWEEN -${most} AND ${most}` };
  }
  const [, width, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(dataType) ?? [];
  if (width !== undefined && Number(width) > digits)
    return { ...tooLong, condition: hasMoreDigits(value, Number(scale)) };
  switch (dataType) {
    case 'DOUBLE':
      return { condition: `NOT isfinite(${value})`, why: 'a number that is not finite' };
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return {
        // Before, Excel counts a day that never was.
        condition: `${value} < '1900-03-01'::TIMESTAMP OR ${value} >= '10000-01-01'::TIMESTAMP`,
        why: 'a date before March 1900 or after 9999',
      };
    case 'STRING':
    case 'JSON':
      return { condition: isUnheldText(value), why: unheldText };
    default:
      return undefined;
  }
}

/** Digits between the first and the last that are not zero; small numbers are decided at once. */
function hasMoreDigits(value: string, scale: number): string {
  const counted = `length(trim(replace(ltrim(CAST(${value} AS VARCHAR), '-'), '.', ''), '0')) > ${digits}`;
  if (scale > digits) return counted;
  // Without a place more than the column has, for which a column of 38 digits would have no room.
  const fraction = scale === 0 ? '' : `.${'9'.repeat(scale)}`;
  const most = `${'9'.repeat(digits - scale) || '0'}${fraction}`;
  return `abs(${value}) > ${most} AND ${counted}`;
}

/**
 * The rows of a SELECT as a workbook holds them: a value that it would show as another, or that makes it
 * unreadable, fails the statement and names its column.
 *
 * @throws RowFault too_large for more columns than a sheet has, unheld for a name that it can't hold
 */
export function asWorkbook(select: string, columns: readonly { name: string; dataType: string }[]): string {
  if (columns.length > mostColumns)
    throw new RowFault(
      'too_large',
      `A sheet has at most ${mostColumns.toLocaleString('en-US')} columns; select fewer.`,
    );
  const values = columns.map(({ name, dataType }) => {
    if (isUnheldName(name)) throw unheldNameOf(name);
    const value = identifier(name);
    const isText = dataType === 'STRING' || dataType === 'JSON';
    const written = isText ? escapedText(value) : value;
    const bad = unheld(dataType, value);
    const shown = identifier(escapedName(name));
    if (bad === undefined) return `${written} AS ${shown}`;
    const message = literal(unheldMessage(name, bad.why, 'a workbook'));
    return `CASE WHEN ${bad.condition} THEN error(${message}) ELSE ${written} END AS ${shown}`;
  });
  return `SELECT ${values.join(', ')} FROM (${select}\n)`;
}

const unheldNameOf = (name: string) =>
  new RowFault(
    'unheld',
    `The column name ${shownName(name)} is ${unheldText}, which a workbook cannot hold: rename it, or export another format.`,
  );
