/** A piece of a statement: its own text, or a parameter that it uses. */
export type Piece = { text: string } | { name: string };

const placeholder = /\{\{\s{0,20}([A-Za-z_]\w{0,63})\s{0,20}\}\}/y;
/** So that a quote is only found at its beginning. */
const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const lineEnd = /[\n\r]/g;
const dollars = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/**
 * The statement in pieces. `quoted` are the placeholders within quotes, where they could not be bound. Those
 * in comments stay text. It reads quotes and comments as the engine does; what isn't closed goes to the end.
 */
export function piecesOf(sql: string): { pieces: Piece[]; quoted: string[] } {
  const pieces: Piece[] = [];
  const quoted: string[] = [];
  let from = 0;
  let at = 0;
  while (at < sql.length) {
    const named = matchAt(placeholder, sql, at);
    if (named !== undefined) {
      pieces.push({ text: sql.slice(from, at) }, { name: named[1]! });
      at += named[0].length;
      from = at;
      continue;
    }
    const quotesEnd = endOfQuotes(sql, at);
    if (quotesEnd !== undefined) quoted.push(...namesIn(sql, at, quotesEnd));
    at = quotesEnd ?? endOfComment(sql, at) ?? at + (matchAt(word, sql, at)?.[0].length ?? 1);
  }
  pieces.push({ text: sql.slice(from) });
  return { pieces, quoted };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function namesIn(sql: string, from: number, to: number): string[] {
  const names: string[] = [];
  for (let at = sql.indexOf('{{', from); at !== -1 && at < to; at = sql.indexOf('{{', at + 1)) {
    const named = matchAt(placeholder, sql, at);
    if (named !== undefined) names.push(named[1]!);
  }
  return names;
}

/** Where a text, a quoted name or a text between dollars ends that begins here. */
function endOfQuotes(sql: string, at: number): number | undefined {
  const first = sql[at]!;
  if (first === "'" || first === '"') return endOfQuoted(sql, at + 1, first, false);
  if ((first === 'e' || first === 'E') && sql[at + 1] === "'") return endOfQuoted(sql, at + 2, "'", true);
  const tag = first === '$' ? matchAt(dollars, sql, at)?.[0] : undefined;
  if (tag === undefined) return undefined;
  const end = sql.indexOf(tag, at + tag.length);
  return end === -1 ? sql.length : end + tag.length;
}

/** A quote within is doubled, or escaped. */
function endOfQuoted(sql: string, from: number, quote: string, hasEscapes: boolean): number {
  for (let at = from; at < sql.length; at += 1) {
    if (hasEscapes && sql[at] === '\\') at += 1;
    else if (sql[at] === quote && sql[at + 1] === quote) at += 1;
    else if (sql[at] === quote) return at + 1;
  }
  return sql.length;
}

function endOfComment(sql: string, at: number): number | undefined {
  if (sql.startsWith('--', at)) {
    lineEnd.lastIndex = at;
    return lineEnd.exec(sql)?.index ?? sql.length;
  }
  if (!sql.startsWith('/*', at)) return undefined;
  // They are nested.
  let depth = 0;
  for (let place = at; place < sql.length; place += 1) {
    const pair = sql.slice(place, place + 2);
    if (pair !== '/*' && pair !== '*/') continue;
    depth += pair === '/*' ? 1 : -1;
    place += 1;
    if (depth === 0) return place + 1;
  }
  return sql.length;
}
