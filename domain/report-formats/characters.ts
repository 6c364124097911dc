/**
 * A text without what no font shows and no XML may hold: control characters, halves of pairs, and marks that would
 * turn the direction of what follows.
 */
export function printable(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll('\t', '    ')
      .replaceAll('\r\n', '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
      .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2066-\u2069\u202a-\u202e\ufeff\ufffe\uffff]/g, '')
  );
}
