/** A column of the source, from information_schema. */
export interface MysqlColumn {
  name: string;
  /** For example `bigint`. */
  type: string;
  /** For example `bigint(20) unsigned`. */
  columnType: string;
  precision: number | null;
  scale: number | null;
  nullable: boolean;
}

/** How a column is read and converted. */
export interface CopiedColumn {
  /** MySQL expression of the value, as text. */
  source: string;
  dataType: string;
  /** Engine expression that converts the text to the value. */
  value(text: string): string;
}

const maxDigits = 38;
const integers = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'year']);
const bytes = new Set([
  ...['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'],
  ...['geometry', 'point', 'linestring', 'polygon', 'multipoint', 'multilinestring', 'multipolygon'],
  ...['geometrycollection', 'geomcollection', 'vector'],
]);

export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** Whether a column can hold dates that do not exist: `0000-00-00`, or a day 0 of a month. */
export function isDay({ type }: MysqlColumn): boolean {
  return type === 'date' || type === 'datetime' || type === 'timestamp';
}

/** Expression that is 1 if the column has such a date, for which the engine has no value. */
export function impossibleDayTerm({ name }: MysqlColumn): string {
  const column = quoted(name);
  return `coalesce(max(dayofmonth(${column}) = 0 OR month(${column}) = 0 OR year(${column}) = 0), 0)`;
}

/** The mapping of the table in docs/connections.md. */
export function copiedColumn(column: MysqlColumn, hasImpossibleDay: boolean): CopiedColumn {
  const { type, columnType } = column;
  const name = quoted(column.name);
  const as = (dataType: string, engineType: string, source = name): CopiedColumn => ({
    source,
    dataType,
    value: (text) => `CAST(${text} AS ${engineType})`,
  });
  const asText: CopiedColumn = { source: name, dataType: 'STRING', value: (text) => text };
  const isUnsigned = columnType.includes('unsigned');
  if (type === 'bigint' && isUnsigned) return as('DECIMAL(20,0)', 'DECIMAL(20,0)');
  if (integers.has(type)) return as('INTEGER', 'BIGINT');
  if (bytes.has(type)) return { source: `hex(${name})`, dataType: 'BLOB', value: (text) => `unhex(${text})` };
  if (isDay(column) && hasImpossibleDay) return asText;
  switch (type) {
    case 'decimal': {
      const { precision, scale } = column;
      if (precision === null || precision > maxDigits) return asText;
      const decimal = `DECIMAL(${precision},${scale ?? 0})`;
      return as(decimal, decimal);
    }
    case 'float':
      // The text of a float would be rounded to six digits.
      return as('DOUBLE', 'DOUBLE', `${name} * 1e0`);
    case 'double':
      return as('DOUBLE', 'DOUBLE');
    case 'bit':
      return as('DECIMAL(20,0)', 'DECIMAL(20,0)', `CAST(${name} AS UNSIGNED)`);
    case 'date':
      return as('DATE', 'DATE');
    case 'datetime':
      return as('TIMESTAMP', 'TIMESTAMP');
    case 'timestamp':
      // The session's time zone is UTC.
      return as('TIMESTAMPTZ', 'TIMESTAMPTZ', `concat(${name}, '+00')`);
    case 'json':
      return as('JSON', 'JSON');
    default:
      return asText;
  }
}
