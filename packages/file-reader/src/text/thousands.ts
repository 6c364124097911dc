import type { SampleRecord } from './sample.ts';

const pointGroups = /^[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+$|^[+-]?\d{1,3}(\.\d{3}){2,}$/;
const pointPlain = /^[+-]?(\d{1,3}(\.\d{3})*|\d+)(,\d+)?$/;
const commaGroups = /^[+-]?\d{1,3}(,\d{3})+\.\d+$|^[+-]?\d{1,3}(,\d{3}){2,}$/;
const commaPlain = /^[+-]?(\d{1,3}(,\d{3})*|\d+)(\.\d+)?$/;
/** 1,234 alone may be a grouped integer or a decimal, so it is no evidence. */
const eitherWay = /^[+-]?\d{1,3},\d{3}$/;
/** Longer texts are not considered numbers. */
const maxNumberChars = 400;

/**
 * The digit group separator, if a whole column of the sample proves it; '.' also means that the decimal
 * separator is a comma. Empty: numbers are not grouped.
 */
export function detectThousands(
  records: readonly SampleRecord[],
  columns: number,
  separator: string,
): string {
  for (let index = 0; index < columns; index += 1) {
    const texts = records.map(({ fields }) => fields[index]?.trim() ?? '').filter((text) => text !== '');
    if (texts.length === 0) continue;
    if (isGrouped(texts, pointPlain, pointGroups) && separator !== '.' && separator !== ',') return '.';
    if (isGrouped(texts, commaPlain, commaGroups)) return ',';
  }
  return '';
}

function isGrouped(texts: readonly string[], every: RegExp, some: RegExp): boolean {
  return (
    texts.every((text) => text.length <= maxNumberChars && every.test(text)) &&
    texts.some((text) => some.test(text) && !eitherWay.test(text))
  );
}
