const unprintable = /[\p{Cc}\p{Noncharacter_Code_Point}\u2066-\u2069\u202a-\u202e\ufeff]/gu;

/**
 * A text without what no font shows and no XML may hold: control characters, halves of pairs, and marks that
 * would turn the direction of what follows.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\t', '    ')
    .replaceAll(unprintable, (character) => (character === '\n' ? character : ''));
}
