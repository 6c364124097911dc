import { literal } from '../sql.ts';
import type { DatePattern } from './date-pattern.ts';
import { type DataType, engineName, typeName } from './types.ts';

/** How the texts of a column are read. */
export interface TextForm {
  /** Digit group separator, or empty; '.' means that the decimal separator is a comma. */
  thousands: string;
  pattern: DatePattern | undefined;
  /** Whether an empty text is a value of text columns; in others it is null. */
  keepsEmpty?: boolean;
  /** Whether nested values come in their own type, and not as JSON. */
  isTyped?: boolean;
}

const full = (text: string, pattern: string): string => `regexp_full_match(${text}, ${literal(pattern)})`;
const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');

/** SQL for a number's text without group separators; NULL if these are misplaced. */
export function plainNumber(text: string, { thousands }: TextForm): string {
  if (thousands === '') return text;
  const group = escaped(thousands);
  const point = thousands === '.' ? ',' : '.';
  const grouped = `\\s*[+-]?\\d{1,3}(${group}\\d{2,3})*${group}\\d{3}(${escaped(point)}\\d*)?\\s*`;
  const joined = `CASE WHEN contains(${text}, ${literal(thousands)})
    THEN CASE WHEN ${full(text, grouped)} THEN replace(${text}, ${literal(thousands)}, '') END ELSE ${text} END`;
  return point === '.' ? joined : `replace(${joined}, ',', '.')`;
}

/**
 * SQL that reads `text` as `type`: NULL if it does not fit, without rounding or other changes of the value.
 * The engine's own casts are laxer (they round 1.5 to 2, and drop the time of a date and the zone of a
 * timestamp), so every cast is preceded by a check of the text.
 */
export function castText(text: string, type: DataType, form: TextForm): string {
  switch (type.kind) {
    case 'STRING':
      return text;
    case 'INTEGER':
      return castInteger(plainNumber(text, form));
    case 'DECIMAL': {
      const number = plainNumber(text, form);
      const { scale } = type;
      const some = scale === 0 ? '0+' : `\\d{1,${scale}}0*`;
      const digits = `\\s*[+-]?(\\d+(\\.(${some})?)?|\\.${some})\\s*`;
      const plain = scale === 0 ? '-?\\d+' : `-?\\d+(\\.\\d{1,${scale}})?`;
      return `CASE WHEN ${full(number, plain)} THEN TRY_CAST(${number} AS ${typeName(type)})
        WHEN ${full(number, digits)} THEN TRY_CAST(trim(${number}) AS ${typeName(type)})
        ELSE ${castPowers(number, typeName(type))} END`;
    }
    case 'DOUBLE':
      return castDouble(plainNumber(text, form));
    case 'BOOLEAN':
      return `coalesce(TRY_CAST(${text} AS BOOLEAN), TRY_CAST(trim(${text}) AS BOOLEAN))`;
    case 'DATE':
      return castDate(text, form.pattern);
    case 'TIMESTAMP':
      return castTimestamp(text, form.pattern);
    case 'TIMESTAMPTZ':
      return castInstant(text, form.pattern);
    case 'TIME':
      return castTime(text, form.pattern);
    case 'JSON':
      return castJson(text);
    case 'NESTED':
      return form.isTyped === true ? text : castNested(text, type.name);
  }
}

/**
 * A number with an exponent as a decimal. The engine rounds what does not fit; comparing doubles detects
 * this, as different numbers of at most 15 digits are different doubles.
 */
function castPowers(number: string, type: string): string {
  const value = `TRY_CAST(trim(${number}) AS ${type})`;
  return `CASE WHEN ${full(number, '\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)[eE][+-]?\\d{1,3}\\s*')}
    AND strlen(split_part(lower(trim(${number})), 'e', 1)) <= 15
    AND CAST(${value} AS DOUBLE) = TRY_CAST(trim(${number}) AS DOUBLE) THEN ${value} END`;
}

/** The engine accepts NaN, infinities and trailing commas, which are invalid JSON. */
function castJson(text: string): string {
  const suspect = '(?i)nan|inf|,\\s*[\\]}]';
  const bare = `regexp_replace(${text}, '"([^"\\\\]|\\\\.)*"', '""', 'g')`;
  return `CASE WHEN NOT regexp_matches(${text}, ${literal(suspect)}) OR NOT regexp_matches(${bare}, ${literal(suspect)})
    THEN TRY_CAST(${text} AS JSON) END`;
}

/** The reader of the file has compared the document with the type, which the engine does not. */
function castNested(text: string, name: string): string {
  const opening = name.endsWith(']') ? '[' : '{';
  return `CASE WHEN left(${text}, 1) = '${opening}' THEN TRY_CAST(TRY_CAST(${text} AS JSON) AS ${engineName(name)}) END`;
}

function castInteger(number: string): string {
  return `CASE WHEN ${full(number, '-?\\d{1,18}')} THEN TRY_CAST(${number} AS BIGINT)
    WHEN ${full(number, '\\s*[+-]?\\d+(\\.0*)?\\s*')} THEN TRY_CAST(split_part(trim(${number}), '.', 1) AS BIGINT) END`;
}

function castDouble(number: string): string {
  const value = `TRY_CAST(trim(${number}) AS DOUBLE)`;
  // A pattern instead of IN: the engine turns a list of six values into a join, one per column.
  const words = full(number, '(?i) *(nan|[+-]?inf|-?infinity) *');
  // A short text that starts like a number is one if the engine can read it, so no pattern is needed.
  return `CASE WHEN strlen(${number}) <= 16 AND ${number} >= '-' AND ${number} < ':' AND NOT contains(${number}, '_')
      THEN CASE WHEN isfinite(TRY_CAST(${number} AS DOUBLE)) THEN TRY_CAST(${number} AS DOUBLE) WHEN ${words} THEN ${value} END
    WHEN ${full(number, '\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?\\s*')}
      THEN CASE WHEN isfinite(${value}) THEN ${value} END
    WHEN ${words} THEN ${value} END`;
}

/** Fraction of a second; digits beyond microseconds would be truncated, so they must be zeros. */
const micros = '\\.\\d{1,6}0*';

const midnight = (value: string): string =>
  `CASE WHEN ${value} = date_trunc('day', ${value}) THEN CAST(${value} AS DATE) END`;

function castDate(text: string, pattern: DatePattern | undefined): string {
  if (pattern?.date !== undefined) {
    const whole = pattern.time === undefined ? '' : `, ${midnight(parsed(text, pattern.full))}`;
    return `coalesce(CAST(${parsed(text, pattern.date)} AS DATE)${whole})`;
  }
  return `CASE WHEN strlen(${text}) = 10 AND ${text} >= '0' AND ${text} < ':' AND NOT contains(${text}, ':')
      THEN TRY_CAST(${text} AS DATE)
    WHEN ${full(text, '\\s*\\d{4}([-/.])\\d{1,2}[-/.]\\d{1,2}\\s*')} THEN TRY_CAST(trim(${text}) AS DATE)
    WHEN ${full(text, '\\d{4}-\\d{2}-\\d{2}[ T]00:00(:00(\\.0*)?)?')} THEN TRY_CAST(left(${text}, 10) AS DATE) END`;
}

/** A pattern with a zone gives an instant, which is converted to UTC. */
function parsed(text: string, format: string): string {
  const value = `try_strptime(${text}, ${literal(format)})`;
  return format.includes('%z') ? `(${value} AT TIME ZONE 'UTC')` : value;
}

function castTimestamp(text: string, pattern: DatePattern | undefined): string {
  if (pattern?.date !== undefined && pattern.time !== undefined) {
    return `coalesce(${parsed(text, pattern.full)}, ${parsed(text, pattern.date)})`;
  }
  if (pattern?.date !== undefined)
    return `coalesce(${parsed(text, pattern.date)}, ${isoTimestamp(text, ' ')})`;
  return isoTimestamp(text, '');
}

/** A text without a zone is not an instant and does not fit. */
function castInstant(text: string, pattern: DatePattern | undefined): string {
  if (pattern?.full.includes('%z')) return `try_strptime(${text}, ${literal(pattern.full)})`;
  return `CASE WHEN ${full(text, zonedTime)} THEN TRY_CAST(${withSeconds(text)} AS TIMESTAMPTZ) END`;
}

const isoClock = `[ T]\\d{1,2}:\\d{2}(:\\d{2}(${micros})?)?`;
const zonedTime = `\\s*\\d{4}-\\d{1,2}-\\d{1,2}${isoClock} ?([zZ]|[+-]([01]\\d|2[0-3])(:?[0-5]\\d)?)\\s*`;

/** `dateOnly` of ' ' rejects a date without a time, which is left to the given date pattern. */
function isoTimestamp(text: string, dateOnly: '' | ' '): string {
  const local = `\\s*\\d{4}-\\d{1,2}-\\d{1,2}(${isoClock})${dateOnly === '' ? '?' : ''}\\s*`;
  // With a colon at this position there is no room for a zone, which the engine would drop.
  const usual = `strlen(${text}) = 19 AND substring(${text}, 17, 1) = ':'`;
  return `CASE WHEN ${usual} THEN TRY_CAST(${text} AS TIMESTAMP) WHEN ${full(text, local)} THEN TRY_CAST(trim(${text}) AS TIMESTAMP)
    WHEN ${full(text, zonedTime)} THEN TRY_CAST(${withSeconds(text)} AS TIMESTAMPTZ) AT TIME ZONE 'UTC' END`;
}

/** The engine reads a zone only directly after the seconds, and only an uppercase Z. */
function withSeconds(text: string): string {
  const joined = `regexp_replace(upper(trim(${text})), ' ?(Z|[+-]\\d{2}(:?\\d{2})?)$', '\\1')`;
  return `regexp_replace(${joined}, '([ T]\\d{1,2}:\\d{2})(Z|[+-])', '\\1:00\\2')`;
}

function castTime(text: string, pattern: DatePattern | undefined): string {
  const iso = `CASE WHEN ${full(text, `\\s*\\d{1,2}:\\d{2}(:\\d{2}(${micros})?)?\\s*`)} THEN TRY_CAST(trim(${text}) AS TIME) END`;
  if (pattern?.time === undefined) return iso;
  return `coalesce(CAST(${parsed(text, pattern.time)} AS TIME), ${iso})`;
}

/** The engine's name for the type, for casts. */
export function engineType(type: DataType): string {
  return engineName(typeName(type));
}
