import type { IsReserved } from '../contract.ts';

export const maxNameChars = 255;

/**
 * Column names from the fields of a header: trimmed, without control characters, numbered by position if
 * empty, and made unique ignoring case. None of them is in `used` or reserved.
 */
export function columnNames(
  header: readonly string[],
  isReserved: IsReserved = () => false,
  used: readonly string[] = [],
): string[] {
  const taken = new Set(used.map((name) => name.toLowerCase()));
  /** Next number to try per stem, so that thousands of equal names do not take quadratic time. */
  const nextCounts = new Map<string, number>();
  return header.map((text, index) => {
    const cleaned = text
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, maxNameChars)
      .toWellFormed();
    const base = cleaned === '' ? `column${index + 1}` : cleaned;
    const isTaken = (name: string) => taken.has(name.toLowerCase()) || isReserved(name);
    let name = base;
    if (isTaken(name)) {
      const stem = (isReserved(`${base}_2`) ? `column_${base}` : base).slice(0, maxNameChars - 6);
      let count = nextCounts.get(stem.toLowerCase()) ?? 2;
      do {
        name = `${stem}_${count}`;
        count += 1;
      } while (isTaken(name));
      nextCounts.set(stem.toLowerCase(), count);
    }
    taken.add(name.toLowerCase());
    return name;
  });
}
