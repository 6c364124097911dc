import { z } from 'zod';
import { isLongerThan } from '../data/text.ts';

/** Why PostgreSQL cannot store a text; undefined if it can. */
export function textFault(text: string): string | undefined {
  if (text.includes('\u0000')) return "Text can't contain the NUL character.";
  if (!text.isWellFormed()) return 'The text contains half of a surrogate pair.';
  return undefined;
}

/** The rule in JSON Schema, where half a surrogate pair is not a character anyway. */
const pattern = '^[^\\u0000]*$';
const visiblePattern = '^[^\\u0000]*[^\\s\\ufeff\\u0000][^\\u0000]*$';

/**
 * Storable text with a bounded number of characters; one outside the BMP counts as one, as clients count.
 * Used for every text of a request that is stored or looked up.
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

/** A display name: more than white space. */
export function visibleName(max: number) {
  return characters(1, max)
    .check(({ value, issues }) => {
      if (value.trim() === '') issues.push({ ...tooShort, minimum: 1, input: value });
    })
    .meta({ maxLength: max, pattern: visiblePattern });
}

/** A name chosen by the client, compared as it is. */
export const ownName = characters(1, 255);

/** An id in a body: an invalid one is answered like an unknown one. */
export const idText = characters(1, 255);
