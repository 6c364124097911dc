import { isReservedColumn } from '../../../../data/lake/ducklake/catalog.ts';

export const maxNameChars = 255;

/**
 * Column names from the fields of a header: trimmed, without control characters, numbered by position if
 * empty, and made unique ignoring case, as in the lake, and other than those that it keeps for itself.
 */
export function columnNames(header: readonly string[], reserved: readonly string[] = []): string[] {
  const taken = new Set(reserved.map((name) => name.toLowerCase()));
  /** Next number to try per stem, so that thousands of equal names do not take quadratic time. */
  const nextCounts = new Map<string, number>();
  return header.map((text, index) => {
    const cleaned = text
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, maxNameChars)
      .toWellFormed();
    const base = cleaned === '' ? `column${index + 1}` : cleaned;
    const isTaken = (one: string) => taken.has(one.toLowerCase()) || isReservedColumn(one);
    let name = base;
    if (isTaken(name)) {
      const stem = (isReservedColumn(`${base}_2`) ? `column_${base}` : base).slice(0, maxNameChars - 6);
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
