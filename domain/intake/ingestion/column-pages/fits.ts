import { duckDbType } from '../../../tables/tables/columns.ts';

/** The value of a page's column in the type of the table's column. */
export interface Fit {
  /** SQL; null for a value that doesn't fit. */
  value: string;
  /** SQL that is true for a value that doesn't fit, and false for null; undefined if all fit. */
  misfit: string | undefined;
}

interface Source {
  dataType: string;
  /** SQL for the value in this type. */
  value: string;
}

const isNumber = (type: string): boolean => /^(INTEGER|DOUBLE|DECIMAL\(\d+,\d+\))$/.test(type);
const isMoment = (type: string): boolean => type === 'TIMESTAMP' || type === 'TIMESTAMPTZ';

/**
 * How values of one type become values of another; undefined if none do. The same values fit as in a page of
 * JSON: a number if it comes back unchanged, a moment of the years 1 to 9999, a text without NUL.
 */
export function fitOf({ dataType: from, value }: Source, to: string): Fit | undefined {
  if (isNumber(from) && isNumber(to))
    return from === to ? { value, misfit: undefined } : number(from, value, to);
  if ((isMoment(from) || from === 'DATE') && isMoment(to))
    return guarded(from === to ? value : `CAST(${value} AS ${to})`, outside(from, value));
  if (to === 'JSON') return from === 'JSON' || from === 'STRING' ? json(value) : undefined;
  if (to === 'STRING' && (from === 'STRING' || from === 'JSON')) {
    const text = from === 'STRING' ? value : `CAST(${value} AS VARCHAR)`;
    return guarded(text, `contains(${text}, chr(0))`);
  }
  if (from !== to) return undefined;
  if (to === 'DATE') return guarded(value, outside(to, value));
  if (to === 'TIME') return guarded(value, `${value} >= TIME '24:00:00'`);
  return to === 'BOOLEAN' ? { value, misfit: undefined } : undefined;
}

const guarded = (value: string, misfit: string): Fit => ({ value, misfit: `coalesce(${misfit}, false)` });

function number(from: string, value: string, to: string): Fit {
  const converted = `TRY_CAST(${value} AS ${duckDbType(to)})`;
  const back = `TRY_CAST(${converted} AS ${duckDbType(from)})`;
  return { value: converted, misfit: `(${value} IS NOT NULL AND ${back} IS DISTINCT FROM ${value})` };
}

/** Infinite moments are outside too. */
function outside(type: string, value: string): string {
  const [first, last] =
    type === 'DATE'
      ? ['0001-01-01', '9999-12-31']
      : ['0001-01-01 00:00:00', '9999-12-31 23:59:59.999999'].map((moment) =>
          type === 'TIMESTAMPTZ' ? `${moment}+00` : moment,
        );
  return `${value} NOT BETWEEN ${type} '${first}' AND ${type} '${last}'`;
}

/** Depth of a document. */
const maxDepth = 1_000;

/**
 * The engine also takes commas at the end of a list, NaN and infinities, which aren't JSON, and a NUL that is
 * escaped.
 */
function json(column: string): Fit {
  const text = `CAST(${column} AS VARCHAR)`;
  const bare = `regexp_replace(${text}, '"(?:[^"\\\\]|\\\\.)*"', '""', 'g')`;
  const loose = `regexp_matches(${bare}, '(?i)nan|inf|,\\s*[\\]}]')`;
  const nul = `regexp_matches(replace(${text}, '\\\\', ''), '\\\\u0000')`;
  const opening = `strlen(regexp_replace(${bare}, '[^\\[{]', '', 'g'))`;
  const brackets = `string_split(regexp_replace(${bare}, '[^\\[\\]{}]', '', 'g'), '')`;
  const steps = `list_transform(${brackets}, lambda c: {d: CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END, m: 0})`;
  const depth = `list_reduce(${steps}, lambda a, x: {d: a.d + x.d, m: greatest(a.m, a.d + x.d)}).m`;
  const deep = `CASE WHEN ${opening} > ${maxDepth} THEN ${depth} > ${maxDepth} ELSE false END`;
  const invalid = `CASE WHEN NOT json_valid(${text}) THEN true ELSE ${loose} OR ${nul} OR ${deep} END`;
  const misfit = `(${text} IS NOT NULL AND ${invalid})`;
  return { value: `CASE WHEN ${misfit} THEN NULL ELSE ${text}::JSON END`, misfit };
}
