/** Whether a text has more characters than so many; one outside the basic plane is one, as clients count. */
export function isLongerThan(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > 2 * characters || [...text].length > characters;
}
