import type { JsonValue } from '../../../../data/exact-json.ts';
import { bail, byte, Tokens } from './tokens.ts';

/**
 * Reads the members of the body; the value of `records`, which must occur exactly once, is read by
 * `readRecords`.
 */
export function readMembers(tokens: Tokens, readRecords: () => void): Record<string, JsonValue> {
  const members: Record<string, JsonValue> = {};
  let hasRecords = false;
  tokens.take(byte.openObject);
  do {
    tokens.peek();
    const keyAt = tokens.at;
    if (!tokens.string()) throw bail;
    const key = tokens.text(keyAt + 1, tokens.at - 1);
    tokens.take(byte.colon);
    if (key === 'records' && !hasRecords) {
      hasRecords = true;
      readRecords();
    } else if (Object.hasOwn(members, key) || key === 'records' || key === '__proto__') throw bail;
    else members[key] = readMember(tokens);
  } while (goesOn(tokens, byte.closeObject));
  tokens.peek();
  if (!hasRecords || tokens.at !== tokens.source.length) throw bail;
  return members;
}

function readMember(tokens: Tokens): JsonValue {
  const c = tokens.peek();
  const start = tokens.at;
  if (c === byte.quote) {
    if (!tokens.string()) throw bail;
    return tokens.text(start + 1, tokens.at - 1);
  }
  tokens.number();
  if (tokens.integerDigits > 15 || tokens.fractionDigits > 0 || tokens.hasExponent || tokens.isNegative)
    throw bail;
  return tokens.value;
}

/** Takes a comma (true) or the end of the list or object (false). */
export function goesOn(tokens: Tokens, end: number): boolean {
  const c = tokens.peek();
  if (c !== byte.comma && c !== end) throw bail;
  tokens.at += 1;
  return c === byte.comma;
}

/** The other members of a body, read without parsing the records; undefined if the body is unusual. */
export function skimBody(body: Buffer): Record<string, JsonValue> | undefined {
  try {
    const tokens = new Tokens(body);
    return readMembers(tokens, () => tokens.any());
  } catch (error) {
    if (error === bail) return undefined;
    throw error;
  }
}
