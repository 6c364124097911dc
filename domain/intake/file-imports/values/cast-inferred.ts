import { castText, plainNumber, type TextForm } from './cast.ts';
import { type DataType, typeName } from './types.ts';

/**
 * SQL that reads a text as the type a sample of its column suggested: NULL for anything that would have
 * suggested another one, were it in the sample (00123 is no number then, nor is 9007199254740993 a DOUBLE).
 * Written with the cheapest tests the engine has, because every value of a large import passes through here.
 */
export function castInferred(text: string, type: DataType, form: TextForm): string {
  const number = plainNumber(text, form);
  switch (type.kind) {
    case 'INTEGER': {
      const value = `TRY_CAST(${number} AS BIGINT)`;
      return `CASE WHEN CAST(${value} AS VARCHAR) = ${number} THEN ${value} END`;
    }
    case 'DOUBLE': {
      const value = `TRY_CAST(${number} AS DOUBLE)`;
      return `CASE WHEN ${startsAsNumber(number)} AND NOT contains(${number}, '_') AND isfinite(${value})
        AND (strlen(${number}) <= 15 OR CAST(${value} AS VARCHAR) = ${number}) THEN ${value} END`;
    }
    case 'DECIMAL':
      return `CASE WHEN ${startsAsNumber(number)} AND NOT contains(lower(${number}), 'e') THEN ${castText(text, type, form)} END`;
    case 'BOOLEAN':
      return `CASE lower(${text}) WHEN 'true' THEN true WHEN 'false' THEN false END`;
    case 'DATE':
      if (form.pattern !== undefined) return castText(text, type, form);
      return `CASE WHEN strlen(${text}) = 10 AND substring(${text}, 5, 1) = '-' AND NOT contains(${text}, ':')
        THEN TRY_CAST(${text} AS ${typeName(type)}) END`;
    default:
      return castText(text, type, form);
  }
}

/**
 * No plus, no leading zero, no word: tested by comparing texts, as `'0:'` sorts right behind every `'0'` and
 * digit.
 */
function startsAsNumber(number: string): string {
  return `${number} >= '-' AND ${number} < ':' AND (${number} < '.' OR ${number} >= '0')
    AND NOT (${number} >= '00' AND ${number} < '0:') AND NOT (${number} >= '-00' AND ${number} < '-0:')`;
}
