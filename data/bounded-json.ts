import { isUtf8 } from 'node:buffer';
import { ValidationError } from './errors.ts';
import { type JsonValue, parseExactJson } from './exact-json.ts';
import {
  type JsonBounds,
  type JsonFaultKind,
  maxExponent,
  maxNumberCharacters,
  scanJson,
} from './json-bounds.ts';

const messages: Record<JsonFaultKind, (bounds: JsonBounds) => string> = {
  depth: ({ depth }) => `The value is nested deeper than ${depth} levels. Use fewer levels.`,
  members: ({ members }) => `The body has more than ${members} members and elements. Send less at a time.`,
  number: () => `A number can have up to ${maxNumberCharacters} characters.`,
  exponent: () => `The exponent of a number must be between -${maxExponent} and ${maxExponent}.`,
  surrogate: () => 'The text contains half of a surrogate pair.',
  nul: () => "Text can't contain the NUL character.",
};

/**
 * Parses a body. The bytes are scanned once against the bounds before any value is built, so that a fault is
 * reported at its place.
 *
 * @throws ValidationError where the bytes are not JSON in UTF-8, or beyond a bound
 */
export function parseBoundedJson(bytes: Buffer, bounds: JsonBounds): JsonValue {
  if (!isUtf8(bytes)) throw notJson("the body isn't UTF-8");
  const { fault, hasLongNumber } = scanJson(bytes, bounds);
  if (fault !== undefined) {
    const { kind, place } = fault;
    const type = kind === 'members' ? 'too_long' : 'value_error';
    throw new ValidationError([{ loc: ['body', ...place], msg: messages[kind](bounds), type }]);
  }
  try {
    return parseExactJson(bytes.toString('utf8'), hasLongNumber);
  } catch (error) {
    throw notJson((error as Error).message);
  }
}

function notJson(reason: string): ValidationError {
  return new ValidationError([
    { loc: ['body'], msg: `JSON decode error: ${reason.slice(0, 300)}`, type: 'json_invalid' },
  ]);
}
