const maxNameChars = 255;

/**
 * Column names for the fields of a header: trimmed, without control characters, an empty one named after its
 * position, and made unique ignoring case, as the lake compares names.
 */
export function columnNames(header: readonly string[], reserved: readonly string[] = []): string[] {
  const taken = new Set(reserved.map((name) => name.toLowerCase()));
  /** The number to try next, so that thousands of equal names do not try all before theirs again. */
  const nextCounts = new Map<string, number>();
  return header.map((text, index) => {
    const cleaned = text
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, maxNameChars)
      .toWellFormed();
    const base = cleaned === '' ? `column${index + 1}` : cleaned;
    let name = base;
    if (taken.has(name.toLowerCase())) {
      const stem = base.slice(0, maxNameChars - 6);
      let count = nextCounts.get(stem.toLowerCase()) ?? 2;
      do {
        name = `${stem}_${count}`;
        count += 1;
      } while (taken.has(name.toLowerCase()));
      nextCounts.set(stem.toLowerCase(), count);
    }
    taken.add(name.toLowerCase());
    return name;
  });
}
