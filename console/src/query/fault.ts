/** Offsets of characters. */
interface Place {
  from: number;
  to: number;
}

/** Where in a statement its fault is; undefined if the message does not tell. */
export function placeOf(sql: string, message: string): Place | undefined {
  const position = /\(line (\d+), column (\d+)\)/.exec(message);
  if (position !== null) {
    const [line, column] = [Number(position[1]), Number(position[2])];
    const before = sql
      .split('\n')
      .slice(0, line - 1)
      .reduce((sum, text) => sum + text.length + 1, 0);
    return wordAt(sql, Math.min(before + column - 1, sql.length));
  }
  const [, quoted, bare] =
    /(?:Referenced column|Referenced table|Table with name|Function with name) (?:"([^"]+)"|(\S+))/.exec(
      message,
    ) ?? [];
  const name = quoted ?? bare;
  return name === undefined ? undefined : wordOf(sql, name);
}

/** Where a name is, as a whole word; texts and comments name nothing. */
function wordOf(sql: string, name: string): Place | undefined {
  // Of the same length, and in lower case: names are found in any.
  const bare = sql
    .replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, (text) => ' '.repeat(text.length))
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const wanted = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  for (let from = bare.indexOf(wanted); from !== -1; from = bare.indexOf(wanted, from + 1)) {
    const to = from + wanted.length;
    if (!isOfName(bare[from - 1]) && !isOfName(bare[to])) return { from, to };
  }
  return undefined;
}

const isOfName = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_$]/u.test(character);

function wordAt(sql: string, from: number): Place {
  const word = /^[\w$]+/.exec(sql.slice(from))?.[0].length ?? 1;
  // At the end of a text, what is wrong is that it ends.
  return from >= sql.length
    ? { from: Math.max(0, sql.length - 1), to: sql.length }
    : { from, to: from + word };
}
