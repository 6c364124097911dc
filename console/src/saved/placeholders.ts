/** Quotes and comments, in which nothing is a parameter, and placeholders. */
const pieces =
  /'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\{\{\s{0,20}([A-Za-z_]\w{0,63})\s{0,20}\}\}/g;

/** The parameters of a statement, in the order in which they are first named. */
export const parametersOf = (sql: string): string[] => [
  ...new Set([...sql.matchAll(pieces)].flatMap(([, name]) => (name === undefined ? [] : [name]))),
];

/** The statement with something else instead of each parameter. */
export const replaced = (sql: string, by: (name: string) => string): string =>
  sql.replaceAll(pieces, (piece, name: string | undefined) => (name === undefined ? piece : by(name)));
