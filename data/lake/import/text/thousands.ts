import type { SampleRecord } from './sample.ts';

const pointGroups = /^[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+$|^[+-]?\d{1,3}(\.\d{3}){2,}$/;
const pointPlain = /^[+-]?(\d{1,3}(\.\d{3})*|\d+)(,\d+)?$/;
const commaGroups = /^[+-]?\d{1,3}(,\d{3})+\.\d+$|^[+-]?\d{1,3}(,\d{3}){2,}$/;
const commaPlain = /^[+-]?(\d{1,3}(,\d{3})*|\d+)(\.\d+)?$/;
/** 1,234 alone may be a grouped whole number or a decimal: it decides nothing. */
const eitherWay = /^[+-]?\d{1,3},\d{3}$/;

/**
 * The character that groups digits, where a whole column of the sample says so beyond doubt; '.' also means
 * that a comma starts the decimals. Empty: numbers are plain.
 */
export function detectThousands(records: readonly SampleRecord[], separator: string): string {
  const width = records.reduce((most, { fields }) => Math.max(most, fields.length), 0);
  for (let index = 0; index < width; index += 1) {
    const texts = records.map(({ fields }) => fields[index]?.trim() ?? '').filter((text) => text !== '');
    if (texts.length === 0) continue;
    if (isGrouped(texts, pointPlain, pointGroups) && separator !== '.' && separator !== ',') return '.';
    if (isGrouped(texts, commaPlain, commaGroups)) return ',';
  }
  return '';
}

function isGrouped(texts: readonly string[], every: RegExp, some: RegExp): boolean {
  return (
    texts.every((text) => every.test(text)) && texts.some((text) => some.test(text) && !eitherWay.test(text))
  );
}
