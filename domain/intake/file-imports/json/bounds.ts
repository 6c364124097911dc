import {
  type JsonFaultKind,
  maxExponent,
  maxNumberCharacters,
  scanJson,
} from '../../../../data/json-bounds.ts';

/**
 * Levels of arrays and objects within a record's value: what parses JSON by recursion must not be sent
 * deeper.
 */
const maxDepth = 1_000;
/** The record's own object is no level of a value. */
const bounds = { depth: maxDepth + 1, members: Number.POSITIVE_INFINITY, storableText: false };

const reasons: Partial<Record<JsonFaultKind, string>> = {
  depth: `The record nests more than ${maxDepth.toLocaleString('en')} levels deep`,
  number: `The record has a number of more than ${maxNumberCharacters.toLocaleString('en')} characters`,
  exponent: `The record has a number whose exponent is beyond ±${maxExponent}`,
};

/**
 * Why a JSON record is not even parsed, and whether a number of it may be more than a double holds; what is
 * no JSON at all is left for the parser to find.
 */
export function lookThrough(bytes: Buffer): { fault: string | undefined; hasLongNumber: boolean } {
  const { fault, hasLongNumber } = scanJson(bytes, bounds);
  return { fault: fault && reasons[fault.kind], hasLongNumber };
}
