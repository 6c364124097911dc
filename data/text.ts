/**
 * Whether a text has more than this many characters; a code point outside the basic plane counts as one, as
 * clients count it.
 */
export function isLongerThan(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > 2 * characters || [...text].length > characters;
}
