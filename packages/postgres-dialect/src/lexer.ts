/** A word, a quoted name, a literal, a parameter such as `$1`, or anything else that stands for itself. */
export interface Token {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'symbol';
  /** As it is written. */
  text: string;
  /** Folded words, names and strings without their quotes; else the text. */
  value: string;
  start: number;
  end: number;
}

const patterns: readonly [Token['kind'] | 'space', RegExp][] = [
  ['space', /[\s\u00a0\ufeff]+|--[^\n\r]*/y],
  ['string', /[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)/y],
  ['string', /(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*(?:'|$)/y],
  ['quoted', /(?:[uU]&)?"(?:[^"]|"")*(?:"|$)/y],
  ['parameter', /\$\d+/y],
  ['string', /\$([A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$[\s\S]*?(?:\$\1\$|$)/y],
  ['number', /(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['word', /[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*/y],
  ['symbol', /::|:=|<=|>=|<>|!=|\|\||!?~~?\*?|->>?|#>>?|@>|<@|=>|[\s\S]/y],
];

/** Cuts a text into tokens, as PostgreSQL's parser does. Spaces and comments are between them. */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sql.length) {
    if (sql.startsWith('/*', at)) {
      at = commentEnd(sql, at);
      continue;
    }
    const [kind, text] = match(sql, at);
    const end = at + text.length;
    if (kind !== 'space') tokens.push({ kind, text, value: tokenValue(kind, text), start: at, end });
    at = end;
  }
  return tokens;
}

function match(sql: string, at: number): [Token['kind'] | 'space', string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(sql)?.[0];
    if (found !== undefined) return [kind, found];
  }
  return ['symbol', sql[at]!];
}

/** Comments may be within comments. */
function commentEnd(sql: string, from: number): number {
  let depth = 0;
  for (let at = from; at < sql.length; at += 1) {
    const two = sql.slice(at, at + 2);
    if (two !== '/*' && two !== '*/') continue;
    depth += two === '/*' ? 1 : -1;
    at += 1;
    if (depth === 0) return at + 1;
  }
  return sql.length;
}

function tokenValue(kind: Token['kind'] | 'space', text: string): string {
  if (kind === 'word') return text.toLowerCase();
  if (kind === 'quoted')
    return text
      .replace(/^[uU]&/, '')
      .slice(1, -1)
      .replaceAll('""', '"');
  if (kind !== 'string') return text;
  if (text.startsWith('$')) return text.replace(/^\$\w*\$/, '').replace(/\$\w*\$$/, '');
  const body = text.slice(text.indexOf("'") + 1, -1).replaceAll("''", "'");
  return /^e/i.test(text) ? body.replace(/\\([\s\S])/g, (_, next: string) => escapes[next] ?? next) : body;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** One statement of a text. */
export interface Statement {
  sql: string;
  /** Where it begins in the text. */
  start: number;
  tokens: Token[];
}

/** The statements of a text, which are separated by semicolons. Those without any token are left out. */
export function statementsOf(sql: string): Statement[] {
  const statements: Statement[] = [];
  let tokens: Token[] = [];
  const end = () => {
    const [first] = tokens;
    if (first !== undefined) {
      const { start } = first;
      const moved = tokens.map((token) => ({ ...token, start: token.start - start, end: token.end - start }));
      statements.push({ sql: sql.slice(start, tokens.at(-1)!.end), start, tokens: moved });
    }
    tokens = [];
  };
  for (const token of tokensOf(sql)) {
    if (token.text === ';') end();
    else tokens.push(token);
  }
  end();
  return statements;
}

/** The numbers of the parameters of a statement, ascending. */
export function parameterNumbers(tokens: readonly Token[]): number[] {
  const found = tokens.filter(({ kind }) => kind === 'parameter').map(({ text }) => Number(text.slice(1)));
  return [...new Set(found)].sort((one, other) => one - other);
}
