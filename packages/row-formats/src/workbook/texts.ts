import { literal } from './sql.ts';

const mostCharacters = 32_767;

export const unheldText = `a text of more than ${mostCharacters.toLocaleString('en-US')} characters, or with control characters`;

const notInXml = String.raw`[\x00-\x08\x0B\x0C\x0E-\x1F\x{FFFE}\x{FFFF}]`;
const beyond16Bits = String.raw`[^\x{10000}-\x{10FFFF}]`;

/** Excel counts UTF-16 units, of which no text has more than bytes. */
export function isUnheldText(value: string): string {
  const units = `length(${value}) + length(regexp_replace(${value}, ${literal(beyond16Bits)}, '', 'g'))`;
  const isLong = `strlen(${value}) > ${mostCharacters} AND ${units} > ${mostCharacters}`;
  return `(${isLong}) OR regexp_matches(${value}, ${literal(notInXml)})`;
}

/**
 * Excel reads `_x0041_` as the letter A, and XML a carriage return as a line feed. A text with such a mark
 * gets all of its beginnings escaped, as two marks may share an underscore, and the escaped return starts
 * with one.
 */
export function escapedText(value: string): string {
  const isMarked = String.raw`_x[0-9A-Fa-f]{4}[_\r]`;
  const escaped = String.raw`regexp_replace(${value}, '_(x[0-9A-Fa-f]{4})', '_x005F_\1', 'g')`;
  const unmarked = `CASE WHEN regexp_matches(${value}, ${literal(isMarked)}) THEN ${escaped} ELSE ${value} END`;
  return `replace(${unmarked}, chr(13), '_x000D_')`;
}

const xmlText = /^[\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

export const isUnheldName = (name: string): boolean => name.length > mostCharacters || !xmlText.test(name);

export const escapedName = (name: string): string =>
  name.replaceAll(/_(?=x[\dA-Fa-f]{4}[_\r])/g, '_x005F_').replaceAll('\r', '_x000D_');
