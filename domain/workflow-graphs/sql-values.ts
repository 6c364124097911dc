import { AppError } from '../../data/errors.ts';
import { isRawNumber } from '../../data/exact-json.ts';
import { sqlPieces } from './sql-text.ts';

/**
 * The statement with values in the places of its placeholders. What a value holds stays a value: numbers and booleans as
 * literals, everything else as a text, between spaces, so that nothing before it makes another kind of literal of it.
 *
 * @throws AppError `invalid_request` where a value is none
 */
export function boundSql(sql: string, resolve: (placeholder: string) => unknown): string {
  const pieces = sqlPieces(sql);
  if ('message' in pieces) throw new AppError('invalid_request', pieces.message);
  return pieces
    .map((piece) =>
      'text' in piece ? piece.text : ` ${literalOf(resolve(piece.placeholder), piece.placeholder)} `,
    )
    .join('');
}

const plainNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function literalOf(value: unknown, placeholder: string): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  const number = isRawNumber(value) ? value.rawJSON : typeof value === 'number' ? String(value) : undefined;
  if (number !== undefined && plainNumber.test(number)) return `(${number})`;
  if (typeof value === 'string') return quotedText(value, placeholder);
  throw new AppError(
    'invalid_request',
    `\${${placeholder}} is not one value: in SQL it must be a row of one column, or a parameter.`,
  );
}

export function quotedText(text: string, placeholder: string): string {
  if (text.includes('\0') || !text.isWellFormed())
    throw new AppError('invalid_request', `\${${placeholder}} holds characters that no text has.`);
  return `'${text.replaceAll("'", "''")}'`;
}
