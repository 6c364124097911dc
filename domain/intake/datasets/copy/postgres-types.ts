import { identifier } from '../../../../data/lake/sql.ts';

/** A column of the source, from its catalog. */
export interface PostgresColumn {
  name: string;
  /** As written by `format_type`, for a domain its base type: `numeric(12,2)`, `text[]`. */
  type: string;
  /** From pg_type: b base, c composite, e enum, r range, m multirange. */
  typtype: string;
  isArray: boolean;
  nullable: boolean;
}

/** Facts about the values of a `numeric` column. */
export interface NumericFacts {
  /** Maximum number of digits before the decimal point; `scale` is the maximum after it. */
  whole: number;
  scale: number;
  /** NaN or infinity, which a DECIMAL cannot hold. */
  hasSpecial: boolean;
}

/** How a column is read and converted. */
export interface CopiedColumn {
  /** PostgreSQL expression of the value, as text. */
  source: string;
  dataType: string;
  /** Engine expression that converts the text, in a column of this name, to the value. */
  value(text: string): string;
}

const integers = new Set(['smallint', 'integer', 'bigint', 'oid', 'xid', 'cid']);
const maxDigits = 38;
/**
 * Scale of a `numeric` without a precision whose values fit, so that all its snapshots have the same type.
 */
const usualScale = 10;

/** The engine writes the era after the date, in brackets. */
const era = (text: string) =>
  `CASE WHEN suffix(${text}, ' BC') THEN regexp_replace(${text}, '^(\\S+)(.*) BC$', '\\1 (BC)\\2') ELSE ${text} END`;

/** The mapping of the table in docs/connections.md. */
export function copiedColumn(column: PostgresColumn, numeric: NumericFacts | undefined): CopiedColumn {
  const name = identifier(column.name);
  const as = (dataType: string, engineType: string, from = (text: string) => text): CopiedColumn => ({
    source: name,
    dataType,
    value: (text) => `CAST(${from(text)} AS ${engineType})`,
  });
  const asText: CopiedColumn = { source: `${name}::text`, dataType: 'STRING', value: (text) => text };
  // Composite values: arrays and rows. Their text form is specific to PostgreSQL.
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
      // Two digits per byte after `\x`.
      return { source: name, dataType: 'BLOB', value: (text) => `unhex(substr(${text}, 3))` };
    default:
      return asText;
  }
}

/** For example `timestamp(3) without time zone` without its `(3)`. */
function withoutModifier(type: string): string {
  const from = type.indexOf('(');
  return from === -1 ? type : type.slice(0, from) + type.slice(type.indexOf(')', from) + 1);
}

/** Undefined if no DECIMAL holds every value exactly. */
function decimalOf(type: string, facts: NumericFacts | undefined): string | undefined {
  if (facts === undefined || facts.hasSpecial) return undefined;
  const [, precision, scale = '0'] = /\((\d+)(?:,(-?\d+))?\)$/.exec(type) ?? [];
  if (precision === undefined) {
    const fits = facts.scale <= usualScale && facts.whole <= maxDigits - usualScale;
    return fits ? `DECIMAL(${maxDigits},${usualScale})` : undefined;
  }
  const [digits, places] = [Number(precision), Number(scale)];
  // A negative scale adds zeros before the decimal point; a scale beyond the precision adds them after it.
  const behind = Math.max(places, 0);
  const all = Math.max(digits - Math.min(places, 0), behind);
  return all <= maxDigits ? `DECIMAL(${all},${behind})` : undefined;
}

/**
 * Expressions for the facts that `decimalOf` needs; nulls and an empty table give zeros. A column with a
 * precision holds no infinity and no more digits than that, so these are not computed: converting every value
 * to text would cost as much as the copy.
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
