/** A piece of a statement: text as it stands, or what a placeholder names, without its braces. */
export type SqlPiece = { text: string } | { placeholder: string };

/** Why a statement with placeholders cannot be bound. */
export interface SqlTextFault {
  message: string;
}

// Each alternative begins with another character or pair, and none can match one text in two ways.
const token =
  /--[^\n]*|\/\*|"(?:[^"]|"")*"|'(?:[^']|'')*'|\$\{[^{}]{0,200}\}|\$(?:[A-Za-z_]\w*)?\$|[A-Za-z_\u0080-\uffff](?:[\w\u0080-\uffff]|\$(?!\{))*|[-/"'$]|[^-/"'$A-Za-z_\u0080-\uffff]+/gy;
const escapes = /'(?:[^'\\]|''|\\.)*'/sy;

/**
 * Cuts a statement at the placeholders that stand where a value may. One within quotes or a comment would be text and no
 * value: that is a fault, and so are quotes and comments without an end.
 */
export function sqlPieces(sql: string): SqlPiece[] | SqlTextFault {
  const pieces: SqlPiece[] = [];
  let text = '';
  for (let at = 0; at < sql.length; ) {
    token.lastIndex = at;
    const [found = ''] = token.exec(sql) ?? [];
    const end = endOf(sql, at, found);
    if (end === undefined) return { message: 'A quote or comment in the statement has no end.' };
    const whole = sql.slice(at, end);
    at = end;
    if (whole.startsWith('${')) {
      pieces.push({ text }, { placeholder: whole.slice(2, -1) });
      text = '';
      continue;
    }
    const [within] = /\$\{[^{}]{0,200}\}/.exec(whole) ?? [];
    if (within !== undefined)
      return {
        message: `${within} stands within quotes or a comment; write it bare, without quotes: it is bound as a value.`,
      };
    text += whole;
  }
  pieces.push({ text });
  return pieces;
}

/** Where a token that begins there ends, in the eyes of the engine; undefined where it has no end. */
function endOf(sql: string, at: number, found: string): number | undefined {
  if (found === '/*') return endOfComment(sql, at);
  if (found === "'" || found === '"') return undefined;
  if (/^\$\w*\$$/.test(found)) {
    const end = sql.indexOf(found, at + found.length);
    return end < 0 ? undefined : end + found.length;
  }
  const end = at + found.length;
  // E'…' knows escapes by backslashes.
  if (/^e$/i.test(found) && sql[end] === "'") {
    escapes.lastIndex = end;
    return escapes.exec(sql) === null ? undefined : escapes.lastIndex;
  }
  return end;
}

/** Comments lie within one another. */
function endOfComment(sql: string, from: number): number | undefined {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  let depth = 0;
  for (let found = mark.exec(sql); found !== null; found = mark.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return undefined;
}
