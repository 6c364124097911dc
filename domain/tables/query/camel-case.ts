/**
 * A column's key in `rows`: each `_` before a letter or digit is dropped and that letter uppercased; leading
 * `_` stay, so that `_sm_created_at` keeps its prefix.
 */
export function camelCase(columnName: string): string {
  const leading = /^_*/.exec(columnName)?.[0] ?? '';
  const rest = columnName.slice(leading.length);
  return leading + rest.replace(/_([\p{L}\p{N}])/gu, (_, letter: string) => letter.toUpperCase());
}
