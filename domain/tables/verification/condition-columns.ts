import type { LakeColumn } from '../tables/columns.ts';

/**
 * The columns that a condition reads, as they are stored, if it is certain that it reads nothing else and
 * that rows which are equal in them decide it alike. So it is for comparisons of columns with each other and
 * with constants; a condition with other words or signs in it is not looked into.
 */
export function columnsOfCondition(condition: string, columns: readonly LakeColumn[]): string[] | undefined {
  if (comment.test(condition)) return undefined;
  const byName = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const read = new Set<LakeColumn>();
  let [before, hasText] = ['', false];
  for (const [token] of condition.matchAll(tokens)) {
    const column = byName.get(nameOf(token));
    // Zero and minus zero are equal, but not what something is divided by them: only constants may divide.
    const mayFollow = before !== '/' || (column === undefined && /[1-9]/.test(token));
    // The power of zero and that of minus zero may differ too.
    const isPower = token === '*' && before === '*';
    // A name before a bracket is a function's.
    const isCall = token === '(' && byName.has(nameOf(before));
    const isKnown = column === undefined ? isConstant(token) : comparedTypes.test(column.dataType);
    if (!mayFollow || isPower || isCall || !isKnown) return undefined;
    hasText ||= column === undefined && token.startsWith("'");
    if (column !== undefined) read.add(column);
    before = token;
  }
  const types = new Set([...read].map(({ dataType }) => dataType));
  // In rows of values numbers are compared as texts, and that of minus zero is another than that of zero.
  const isMixed = types.has('DOUBLE') && (hasText || types.has('STRING'));
  return read.size === 0 || isMixed ? undefined : [...read].map(({ name }) => name);
}

/** In a comment quotes mean nothing, and so would part texts where there are none. */
const comment = /--|\/\*/;

/** Names, quoted or not; texts; numbers; comparisons; each other character. */
const tokens = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[\p{L}_][\p{L}\d_]*|[\d.]+|[<>=!]+|\S/gu;

/** Values of other types may be equal and still differ, as intervals and numbers of JSON do. */
const comparedTypes = /^(?:STRING|BOOLEAN|INTEGER|DOUBLE|DECIMAL.*|DATE|TIMESTAMP)$/;

const words = new Set('and or not in between is null true false date timestamp'.split(' '));
const signs = new Set('( ) , + - * / = == <> != < <= > >='.split(' '));
const number = /^(?:\d+(?:\.\d*)?|\.\d+)$/;

const isConstant = (token: string): boolean =>
  signs.has(token) || words.has(token.toLowerCase()) || number.test(token) || /^'.*'$/su.test(token);

/** As the engine compares names. */
function nameOf(token: string): string {
  const bare = token.startsWith('"') ? token.slice(1, -1).replaceAll('""', '"') : token;
  return bare.toLowerCase();
}
