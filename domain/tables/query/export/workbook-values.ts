import { identifier, literal } from '../../../../data/lake/sql.ts';
import { QueryRefusal } from '../guard/refusal.ts';

const mostColumns = 16_384;
/** Excel keeps so many significant digits of a number. */
const digits = 15;
const mostCharacters = 32_767;

/** Which values of a type a workbook cannot hold, and why; undefined if it holds all. */
function unheld(dataType: string, value: string): { condition: string; why: string } | undefined {
  const tooLong = { why: `a number of more than ${digits} digits` };
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
      return {
        condition: `length(${value}) > ${mostCharacters} OR regexp_matches(${value}, '[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F]')`,
        why: `a text of more than ${mostCharacters.toLocaleString('en-US')} characters, or with control characters`,
      };
    default:
      return undefined;
  }
}

/** Digits between the first and the last that are not zero; small numbers are decided at once. */
function hasMoreDigits(value: string, scale: number): string {
  const counted = `length(trim(replace(ltrim(CAST(${value} AS VARCHAR), '-'), '.', ''), '0')) > ${digits}`;
  if (scale > digits) return counted;
  const most = `${'9'.repeat(digits - scale) || '0'}.${'9'.repeat(scale) || '0'}`;
  return `abs(${value}) > ${most} AND ${counted}`;
}

/**
 * The rows of a SELECT as a workbook holds them: a value that it would show as another, or that makes it
 * unreadable, fails the statement and names its column.
 *
 * @throws QueryRefusal query_too_large for more columns than a sheet has
 */
export function asWorkbook(select: string, columns: readonly { name: string; dataType: string }[]): string {
  if (columns.length > mostColumns)
    throw new QueryRefusal(
      'query_too_large',
      `A sheet has at most ${mostColumns.toLocaleString('en-US')} columns; select fewer.`,
    );
  const values = columns.map(({ name, dataType }) => {
    const value = identifier(name);
    const bad = unheld(dataType, value);
    if (bad === undefined) return value;
    const message = `The column ${JSON.stringify(name)} has ${bad.why}, which a workbook cannot hold: cast it to text, or export another format.`;
    return `CASE WHEN ${bad.condition} THEN error(${literal(message)}) ELSE ${value} END AS ${value}`;
  });
  return `SELECT ${values.join(', ')} FROM (${select}\n)`;
}
