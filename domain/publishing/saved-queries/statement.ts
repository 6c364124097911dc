import { AppError, type ValidationFault } from '../../../data/errors.ts';
import { isRawNumber } from '../../../data/exact-json.ts';
import type { CellValue } from '../../tables/query/request.ts';
import { isNumber, type Parameters, type ParameterValue, type Values } from './parameters.ts';
import { piecesOf } from './placeholders.ts';

/** A list may occur any number of times, with a name for each of its values. */
const maxCharacters = 500_000;

/** A statement as the engine gets it, with the values of the parameters that are written in it. */
export interface Statement {
  sql: string;
  parameters: ReadonlyMap<string, CellValue>;
}

/** What is wrong with the placeholders of a text, at the place of the text. */
export function placeholderFaults(sql: string, parameters: Parameters, loc: string[]): ValidationFault[] {
  const { pieces, quoted } = piecesOf(sql);
  const fault = (msg: string): ValidationFault => ({ loc, type: 'value_error', msg });
  const unknown = pieces.flatMap((piece) =>
    'name' in piece && !Object.hasOwn(parameters, piece.name) ? [piece.name] : [],
  );
  return [
    ...[...new Set(quoted)].map((name) =>
      fault(`{{${name}}} is in quotes. A parameter is a value by itself: remove the quotes around it.`),
    ),
    ...[...new Set(unknown)].map((name) => fault(`{{${name}}} isn't a parameter of the query.`)),
  ];
}

/**
 * The statement with `$name` for `{{name}}`. A date is bound as text and cast. A list is a list of parameters
 * in brackets, so that `IN {{ids}}` works, also if it is empty.
 *
 * @throws AppError query_too_large
 */
export function statementOf(sql: string, parameters: Parameters, values: Values): Statement {
  const bound = new Map<string, CellValue>();
  const taken = new Set(Object.keys(parameters).map((name) => name.toLowerCase()));
  const written = new Map<string, string>();
  const write = (name: string): string => {
    const value = values.get(name);
    if (!Array.isArray(value)) {
      bound.set(name, value === undefined ? null : cellOf(value));
      return parameters[name]?.type === 'date' ? `CAST($${name} AS DATE)` : ` $${name} `;
    }
    if (value.length === 0) return '(SELECT NULL WHERE false)';
    const names = value.map((item, index) => {
      let itemName = `${name}_${index + 1}`;
      while (taken.has(itemName.toLowerCase())) itemName += '_';
      taken.add(itemName.toLowerCase());
      bound.set(itemName, cellOf(item));
      return `$${itemName}`;
    });
    return `(${names.join(', ')})`;
  };
  let text = '';
  for (const piece of piecesOf(sql).pieces) {
    if ('text' in piece) text += piece.text;
    else {
      const known = written.get(piece.name) ?? write(piece.name);
      written.set(piece.name, known);
      text += known;
    }
    if (text.length > maxCharacters)
      throw new AppError(
        'query_too_large',
        `With its lists, the statement has more than ${maxCharacters} characters. Use shorter lists.`,
      );
  }
  return { sql: text, parameters: bound };
}

function cellOf(value: Exclude<ParameterValue, unknown[]>): CellValue {
  if (isNumber(value)) return { number: isRawNumber(value) ? value.rawJSON : String(value) };
  return value;
}
