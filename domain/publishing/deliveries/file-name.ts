/** Maximum length of a path in a project. */
export const maxPathBytes = 1_024;
/** Maximum length of the part before the time; file systems allow names of 255 bytes. */
const maxStemBytes = 180;

/** A file name from an arbitrary title and a suffix, limited to `maxBytes` where possible. */
export function fileName(title: string, rest: string, maxBytes: number): string {
  const stem = title
    .toWellFormed()
    .normalize('NFC')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
    .replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ')
    // Characters that common file systems do not allow in names.
    .replace(/[/\\:*?"<>|]/g, '-');
  const room = Math.min(maxStemBytes, maxBytes - Buffer.byteLength(rest));
  const named = withoutAround(stem, '. ');
  return `${cut(named === '' ? 'Untitled' : named, room)}${rest}`;
}

/** As many whole characters as fit, but at least one; the path is then refused for its length. */
function cut(text: string, maxBytes: number): string {
  let [result, bytes] = ['', 0];
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes && result !== '') break;
    result += character;
  }
  return withoutAround(result, '. ');
}

/** Removes the given characters from both ends of the text. */
export function withoutAround(text: string, characters: string): string {
  let [from, to] = [0, text.length];
  while (from < to && characters.includes(text[from]!)) from += 1;
  while (to > from && characters.includes(text[to - 1]!)) to -= 1;
  return text.slice(from, to);
}
