/** Where in a statement its fault is, as offsets of characters; undefined if the message does not tell. */
export function placeOf(sql: string, message: string): { from: number; to: number } | undefined {
  const told = /\(line (\d+), column (\d+)\)/.exec(message);
  if (told !== null) {
    const [line, column] = [Number(told[1]), Number(told[2])];
    const before = sql
      .split('\n')
      .slice(0, line - 1)
      .reduce((sum, text) => sum + text.length + 1, 0);
    return wordAt(sql, Math.min(before + column - 1, sql.length));
  }
  const name = /(?:Referenced column|Referenced table|Table with name|Function with name) "?([^"\s]+)"?/.exec(
    message,
  )?.[1];
  const from = name === undefined ? -1 : sql.toLowerCase().indexOf(name.toLowerCase());
  return from === -1 ? undefined : { from, to: from + name!.length };
}

function wordAt(sql: string, from: number): { from: number; to: number } {
  const word = /^[\w$]+/.exec(sql.slice(from))?.[0].length ?? 1;
  // At the end of a text, what is wrong is that it ends.
  return from >= sql.length
    ? { from: Math.max(0, sql.length - 1), to: sql.length }
    : { from, to: from + word };
}
