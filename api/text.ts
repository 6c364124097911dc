import { z } from 'zod';
import { isLongerThan } from '../data/text.ts';

/** Why a text cannot be kept as it is; undefined where it can. PostgreSQL knows neither of the two. */
export function textFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'Text must not hold the NUL character.';
  if (!text.isWellFormed()) return 'The text holds half of a surrogate pair.';
  return undefined;
}

/** What a JSON Schema can say of it: half of a pair is no character to begin with. */
const pattern = '^[^\\u0000]*$';
const visiblePattern = '^[^\\u0000]*[^\\s\\ufeff\\u0000][^\\u0000]*$';

/**
 * Text of so many characters that can be kept as it is; one outside the basic plane is one character, as
 * clients count. Every text of a request that is stored or looked up is one.
 */
export function characters(min: number, max: number) {
  return z
    .string()
    .min(min, { abort: true })
    .check(({ value, issues }) => {
      if (isLongerThan(value, max)) issues.push({ ...tooLong, maximum: max, input: value });
      const message = textFault(value);
      if (message !== undefined) issues.push({ code: 'custom', message, input: value, continue: false });
    })
    .meta({ maxLength: max, pattern });
}

const tooLong = { code: 'too_big', origin: 'string', inclusive: true, continue: false } as const;
const tooShort = { code: 'too_small', origin: 'string', inclusive: true, continue: false } as const;

/** A name that people read: more than white space. */
export function visibleName(max: number) {
  return characters(1, max)
    .check(({ value, issues }) => {
      if (value.trim() === '') issues.push({ ...tooShort, minimum: 1, input: value });
    })
    .meta({ maxLength: max, pattern: visiblePattern });
}

/** A client's own name of something, compared as it is. */
export const ownName = characters(1, 255);

/** An id in a body: one that cannot be any is told as one that is unknown. */
export const idText = characters(1, 255);
