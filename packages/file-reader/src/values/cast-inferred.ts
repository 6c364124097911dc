import { castText, plainNumber, type TextForm } from './cast.ts';
import { type DataType, typeName } from './types.ts';

/**
 * SQL that reads a text as the type inferred from a sample of its column: NULL for any text that would have
 * led to another type (00123 is then not a number, and 9007199254740993 not a DOUBLE). Uses the engine's
 * cheapest checks, because every value of a large file is processed here.
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
 * Excludes a plus, leading zeros and words by comparing text: `'0:'` sorts directly after every `'0'`
 * followed by a digit.
 */
function startsAsNumber(number: string): string {
  return `${number} >= '-' AND ${number} < ':' AND (${number} < '.' OR ${number} >= '0')
    AND NOT (${number} >= '00' AND ${number} < '0:') AND NOT (${number} >= '-00' AND ${number} < '-0:')`;
}
