/** A piece of a statement: its own text, or a parameter that it uses. */
export type Piece = { text: string } | { name: string };

const placeholder = /\{\{\s*([A-Za-z_]\w{0,63})\s*\}\}/;

/**
 * Words, so that a quote is only found at its beginning; texts with and without escapes, quoted names, texts
 * between dollars (the first group is their tag), comments and placeholders. What isn't closed goes to the
 * end. The engine reads the same.
 */
const tokens = new RegExp(
  [
    /[eE]'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*(?:'|$)/,
    /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/,
    /'[^']*(?:''[^']*)*(?:'|$)/,
    /"[^"]*(?:""[^"]*)*(?:"|$)/,
    /\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[\s\S]*?(?:\$\1\$|$)/,
    /--[^\n\r]*/,
    /\/\*/,
    placeholder,
    /[\s\S]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);

/**
 * The statement in pieces. `quoted` are the placeholders within quotes, where they could not be bound. Those
 * in comments stay text.
 */
export function piecesOf(sql: string): { pieces: Piece[]; quoted: string[] } {
  const pieces: Piece[] = [];
  const quoted: string[] = [];
  let text = '';
  let at = 0;
  while (at < sql.length) {
    tokens.lastIndex = at;
    const [token = '', , name] = tokens.exec(sql)!;
    const end = token === '/*' ? commentEnd(sql, at) : at + token.length;
    if (name !== undefined) {
      pieces.push({ text }, { name });
      text = '';
    } else {
      const whole = sql.slice(at, end);
      text += whole;
      if (/^(?:[eE]?'|"|\$[^$]*\$)/.test(token)) {
        const [, inside] = placeholder.exec(whole) ?? [];
        if (inside !== undefined) quoted.push(inside);
      }
    }
    at = end;
  }
  pieces.push({ text });
  return { pieces, quoted };
}

/** Comments are nested. */
function commentEnd(sql: string, from: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  let depth = 0;
  for (let found = edge.exec(sql); found !== null; found = edge.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return sql.length;
}
