import { SqlRefusal } from './refusal.ts';

/** White space and comments, up to where the statement begins. */
function beginOf(sql: string): number {
  let at = 0;
  for (;;) {
    const rest = sql.slice(at);
    const skipped = /^\s+|^--[^\n]*|^\/\*/.exec(rest)?.[0];
    if (skipped === undefined) return at;
    const end = skipped === '/*' ? sql.indexOf('*/', at + 2) : -1;
    if (skipped === '/*' && end === -1) return at;
    at = end === -1 ? at + skipped.length : end + 2;
  }
}

/**
 * The statement that an EXPLAIN explains. Spaces replace the word EXPLAIN, so that positions in it stay the
 * same. Undefined if the text isn't an EXPLAIN.
 *
 * @throws SqlRefusal for ANALYZE, which would run it, and other options
 */
export function explainedBy(sql: string): string | undefined {
  const begin = beginOf(sql);
  const word = /^explain\b/i.exec(sql.slice(begin))?.[0];
  if (word === undefined) return undefined;
  const end = begin + word.length;
  const rest = sql.slice(end);
  if (/^\s*(?:analyze\b|\(\s*(?:analyze|format)\b)/i.test(rest))
    throw new SqlRefusal(
      'query_not_read_only',
      'EXPLAIN takes no options here: it shows the plan of a SELECT without running it.',
    );
  return sql.slice(0, begin) + ' '.repeat(word.length) + rest;
}
