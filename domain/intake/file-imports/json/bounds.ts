import {
  type JsonFaultKind,
  maxExponent,
  maxNumberCharacters,
  scanJson,
} from '../../../../data/json-bounds.ts';

/** Maximum nesting depth of a record's values, since recursive JSON parsers cannot handle unlimited depth. */
const maxDepth = 1_000;
/** The record's own object does not count. */
const bounds = { depth: maxDepth + 1, members: Number.POSITIVE_INFINITY, storableText: false };

const reasons: Partial<Record<JsonFaultKind, string>> = {
  depth: `The record nests more than ${maxDepth.toLocaleString('en')} levels deep`,
  number: `The record has a number of more than ${maxNumberCharacters.toLocaleString('en')} characters`,
  exponent: `The record has a number whose exponent is beyond ±${maxExponent}`,
};

/**
 * Checks a JSON record before it is parsed: whether it exceeds a limit, and whether it has a number that a
 * double may not represent. Syntax errors are left to the parser.
 */
export function lookThrough(bytes: Buffer): { fault: string | undefined; hasLongNumber: boolean } {
  const { fault, hasLongNumber } = scanJson(bytes, bounds);
  return { fault: fault && reasons[fault.kind], hasLongNumber };
}
