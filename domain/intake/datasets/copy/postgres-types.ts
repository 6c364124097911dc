import { identifier } from '../../../../data/lake/sql.ts';

/** A column of the source, as its catalog has it. */
export interface PostgresColumn {
  name: string;
  /** As `format_type` writes it, of a domain the type that it is made of: `numeric(12,2)`, `text[]`. */
  type: string;
  /** Of pg_type: b base, c composite, e enum, r range, m multirange. */
  typtype: string;
  isArray: boolean;
  nullable: boolean;
}

/** What the numbers of a column of `numeric` come to. */
export interface NumericFacts {
  /** Digits before and after the point, of the value that has most. */
  whole: number;
  scale: number;
  /** NaN or an infinity, which no DECIMAL holds. */
  hasSpecial: boolean;
}

/** How a column is read, and what it becomes. */
export interface CopiedColumn {
  /** Of PostgreSQL: what is copied, as text. */
  source: string;
  dataType: string;
  /** Of the engine: from the text, in the column of that name, to the value. */
  value(text: string): string;
}

const integers = new Set(['smallint', 'integer', 'bigint', 'oid', 'xid', 'cid']);
const maxDigits = 38;
/** What a `numeric` without a precision becomes where its values fit: one type for all of its snapshots. */
const usualScale = 10;

/** The engine has the era behind the day, and in brackets. */
const era = (text: string) =>
  `CASE WHEN suffix(${text}, ' BC') THEN regexp_replace(${text}, '^(\\S+)(.*) BC$', '\\1 (BC)\\2') ELSE ${text} END`;

/** The mapping that docs/connections.md has as a table. */
export function copiedColumn(column: PostgresColumn, numeric: NumericFacts | undefined): CopiedColumn {
  const name = identifier(column.name);
  const as = (dataType: string, engineType: string, from = (text: string) => text): CopiedColumn => ({
    source: name,
    dataType,
    value: (text) => `CAST(${from(text)} AS ${engineType})`,
  });
  const asText: CopiedColumn = { source: `${name}::text`, dataType: 'STRING', value: (text) => text };
  // Whatever has parts: an array, a row. Their own text form is PostgreSQL's alone.
  if (column.isArray || column.typtype === 'c')
    return { source: `to_json(${name})`, dataType: 'JSON', value: (text) => `CAST(${text} AS JSON)` };
  const base = withoutModifier(column.type);
  if (integers.has(base)) return as('INTEGER', 'BIGINT');
  switch (base) {
    case 'numeric': {
      const type = decimalOf(column.type, numeric);
      return type === undefined ? asText : as(type, type);
    }
    case 'real':
    case 'double precision':
      return as('DOUBLE', 'DOUBLE');
    case 'boolean':
      return as('BOOLEAN', 'BOOLEAN');
    case 'date':
      return as('DATE', 'DATE', era);
    case 'time without time zone':
      return as('TIME', 'TIME');
    case 'timestamp without time zone':
      return as('TIMESTAMP', 'TIMESTAMP', era);
    case 'timestamp with time zone':
      return as('TIMESTAMPTZ', 'TIMESTAMPTZ', era);
    case 'json':
    case 'jsonb':
      return as('JSON', 'JSON');
    case 'bytea':
      // Two digits a byte behind `\x`.
      return { source: name, dataType: 'BLOB', value: (text) => `unhex(substr(${text}, 3))` };
    default:
      return asText;
  }
}

/** `timestamp(3) without time zone` without its `(3)`. */
function withoutModifier(type: string): string {
  const from = type.indexOf('(');
  return from === -1 ? type : type.slice(0, from) + type.slice(type.indexOf(')', from) + 1);
}

/** Undefined where no DECIMAL holds every value as it is. */
function decimalOf(type: string, facts: NumericFacts | undefined): string | undefined {
  if (facts === undefined || facts.hasSpecial) return undefined;
  const [, precision, scale = '0'] = /\((\d+)(?:,(-?\d+))?\)$/.exec(type) ?? [];
  if (precision === undefined) {
    const fits = facts.scale <= usualScale && facts.whole <= maxDigits - usualScale;
    return fits ? `DECIMAL(${maxDigits},${usualScale})` : undefined;
  }
  const [digits, places] = [Number(precision), Number(scale)];
  // A negative scale has zeros before the point; one beyond the precision has them behind it.
  const behind = Math.max(places, 0);
  const all = Math.max(digits - Math.min(places, 0), behind);
  return all <= maxDigits ? `DECIMAL(${all},${behind})` : undefined;
}

/**
 * The question for what `decimalOf` has to know: nulls and an empty table come to nothing. A column with a
 * precision holds no infinity and no more digits than that, which is then not asked: making text of every
 * value would cost as much as the copy.
 */
export function numericFactsTerms({ name: given, type }: PostgresColumn): string[] {
  const name = identifier(given);
  const isNoNumber = `${name} = 'NaN'::numeric`;
  if (type.includes('(')) return ['0', '0', `coalesce(bool_or(${isNoNumber}), false)`];
  const special = `${isNoNumber} OR ${name}::text IN ('Infinity', '-Infinity')`;
  const finite = `CASE WHEN NOT (${special}) THEN ${name} END`;
  return [
    `coalesce(max(length(trunc(abs(${finite}))::text)), 0)::int`,
    `coalesce(max(scale(${finite})), 0)::int`,
    `coalesce(bool_or(${special}), false)`,
  ];
}
