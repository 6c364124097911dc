/** Groups of column names that have one key in `rows`, of which only the last column is there. */
export function collapsingNames(names: readonly string[]): string[][] {
  const byKey = new Map<string, string[]>();
  for (const name of names) {
    const key = camelCase(name);
    const group = byKey.get(key);
    if (group === undefined) byKey.set(key, [name]);
    else group.push(name);
  }
  return [...byKey.values()].filter((group) => group.length > 1);
}

/**
 * A column's key in `rows`: each `_` before a letter or digit is dropped and that letter uppercased; leading
 * `_` stay, so that `_sm_created_at` keeps its prefix.
 */
export function camelCase(columnName: string): string {
  const leading = /^_*/.exec(columnName)?.[0] ?? '';
  const rest = columnName.slice(leading.length);
  return leading + rest.replace(/_([\p{L}\p{N}])/gu, (_, letter: string) => letter.toUpperCase());
}
