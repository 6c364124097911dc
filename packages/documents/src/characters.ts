const unprintable = /[\p{Cc}\p{Noncharacter_Code_Point}\u2066-\u2069\u202a-\u202e\ufeff]/gu;

/**
 * Removes characters that no font shows and XML does not allow: control characters, lone surrogates, and
 * marks that would change the direction of the following text.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\t', '    ')
    .replaceAll(unprintable, (character) => (character === '\n' ? character : ''));
}
