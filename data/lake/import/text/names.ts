const maxNameChars = 255;

/**
 * Column names for the fields of a header: trimmed, without control characters, an empty one named after its
 * position, and made unique ignoring case, as the lake compares names.
 */
export function columnNames(header: readonly string[], reserved: readonly string[] = []): string[] {
  const taken = new Set(reserved.map((name) => name.toLowerCase()));
  return header.map((text, index) => {
    const cleaned = text
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, maxNameChars)
      .toWellFormed();
    const base = cleaned === '' ? `column${index + 1}` : cleaned;
    let name = base;
    for (let count = 2; taken.has(name.toLowerCase()); count += 1)
      name = `${base.slice(0, maxNameChars - 6)}_${count}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
