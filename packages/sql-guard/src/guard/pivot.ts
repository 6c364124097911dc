import { withoutTail } from './tree.ts';

/** Each is searched for in the whole text. */
const mostCharacters = 100_000;
const mostPivots = 32;

/** A column of a PIVOT whose values are not listed. */
export interface OpenPivot {
  /** A SELECT of about how many values it has, which takes little memory however many they are. */
  countSql: string;
  /** A SELECT of its values, as text. */
  valuesSql: string;
  /** Where ` IN (…)` belongs. */
  at: number;
}

const quotedOrComment = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)/g;
const afterList = /\b(?:using|group|order|limit|offset|union|except|intersect|sample|qualify)\b/iy;

/**
 * Finds the columns of PIVOT statements that list no values: the engine's parser would need those to make one
 * SELECT of them. Finds nothing where the text is not of the simple form `PIVOT table ON column, … USING …`.
 */
export function openPivots(sql: string): OpenPivot[] {
  if (sql.length > mostCharacters) return [];
  const text = withoutTail(sql);
  // The same length, so that positions stay; quoted names count as a word.
  const bare = text.replace(quotedOrComment, (found) =>
    (found.startsWith('"') ? 'q' : ' ').repeat(found.length),
  );
  const found: OpenPivot[] = [];
  for (const { index } of [...bare.matchAll(/\bpivot(?:_wider)?\b/gi)].slice(0, mostPivots)) {
    const begin = index + /^\w+/.exec(bare.slice(index))![0].length;
    const on = atDepthZero(bare, begin, /\bon\b/iy);
    if (on === undefined) continue;
    const source = text.slice(begin, on).trim();
    const end = atDepthZero(bare, on + 2, afterList) ?? closingOrEnd(bare, on + 2);
    // Common table expressions stand before a PIVOT that is the statement itself.
    const isWhole = /^\s*with\b/i.test(bare) && depthAt(bare, index) === 0;
    const before = isWhole ? text.slice(0, index) : '';
    for (const [from, to] of items(bare, on + 2, end)) {
      if (atDepthZero(bare.slice(0, to), from, /\bin\b/iy) !== undefined) continue;
      const column = text.slice(from, to).trim();
      if (source === '' || column === '') continue;
      found.push({
        countSql: `${before}SELECT approx_count_distinct(${column}) AS n FROM ${source}`,
        valuesSql: `${before}SELECT CAST(v AS VARCHAR) AS v FROM (SELECT DISTINCT ${column} AS v FROM ${source}) AS listed WHERE v IS NOT NULL ORDER BY listed.v`,
        at: from + text.slice(from, to).trimEnd().length,
      });
    }
  }
  return found;
}

/** The statement with the values of its pivots, in their order. */
export function withPivotValues(
  sql: string,
  pivots: readonly (Pick<OpenPivot, 'at'> & { values: readonly string[] })[],
): string {
  let written = '';
  let done = 0;
  for (const { at, values } of pivots.toSorted((a, b) => a.at - b.at)) {
    const list = values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ');
    written += `${sql.slice(done, at)} IN (${list})`;
    done = at;
  }
  return written + sql.slice(done);
}

/** Where a pattern first matches outside of brackets, before those that are open here are closed. */
function atDepthZero(bare: string, from: number, pattern: RegExp): number | undefined {
  let depth = 0;
  for (let at = from; at < bare.length; at += 1) {
    const character = bare[at]!;
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth < 0) return undefined;
    pattern.lastIndex = at;
    const isWordStart = at === 0 || !/\w/.test(bare[at - 1]!);
    if (depth === 0 && isWordStart && pattern.test(bare)) return at;
  }
  return undefined;
}

function closingOrEnd(bare: string, from: number): number {
  let depth = 0;
  for (let at = from; at < bare.length; at += 1) {
    if (bare[at] === '(') depth += 1;
    else if (bare[at] === ')') depth -= 1;
    if (depth < 0) return at;
  }
  return bare.length;
}

const depthAt = (bare: string, at: number): number =>
  [...bare.slice(0, at)].reduce(
    (depth, character) => depth + Number(character === '(') - Number(character === ')'),
    0,
  );

/** The parts between commas outside of brackets. */
function items(bare: string, from: number, to: number): [number, number][] {
  const found: [number, number][] = [];
  let depth = 0;
  let begin = from;
  for (let at = from; at < to; at += 1) {
    if (bare[at] === '(') depth += 1;
    else if (bare[at] === ')') depth -= 1;
    else if (bare[at] === ',' && depth === 0) {
      found.push([begin, at]);
      begin = at + 1;
    }
  }
  return [...found, [begin, to]];
}
