import {
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBIntervalValue,
  type DuckDBListValue,
  type DuckDBTimeNSValue,
  type DuckDBTimestampMillisecondsValue,
  type DuckDBTimestampNanosecondsValue,
  type DuckDBTimestampSecondsValue,
  type DuckDBTimestampTZValue,
  type DuckDBTimestampValue,
  type DuckDBTimeTZValue,
  type DuckDBTimeValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import { isoDate } from '../values/calendar.ts';
import { decimalText, of, singleText, type ValueEncoder } from '../values/scalars.ts';
import { microsecondTimestampText, timestampText, timeText, zonedTimeText } from '../values/temporal.ts';
import { encoderFor } from '../values/values.ts';
import { intervalText } from './interval-text.ts';
import { isDocument, itemType } from './types.ts';

/** The function that writes a value of a type as PostgreSQL's text. */
export function postgresText(type: DuckDBType): ValueEncoder {
  const item = itemType(type);
  if (item !== undefined) return arrayText(postgresText(item));
  if (type.alias === 'JSON') return plain;
  return isDocument(type) ? encoderFor(type) : (scalars[type.typeId] ?? plain);
}

const plain = of<DuckDBValue>(String);
const endOfDates = 2 ** 31 - 1;
const endOfTime = 2n ** 63n - 1n;

const scalars: Partial<Record<DuckDBTypeId, ValueEncoder>> = {
  [DuckDBTypeId.BOOLEAN]: of<boolean>((value) => (value ? 't' : 'f')),
  [DuckDBTypeId.DECIMAL]: of<DuckDBDecimalValue>(({ value, scale }) =>
    scale === 0 ? value.toString() : decimalText(value, scale),
  ),
  [DuckDBTypeId.DOUBLE]: of<number>((value) => (Object.is(value, -0) ? '-0' : String(value))),
  [DuckDBTypeId.FLOAT]: of<number>((value) =>
    Object.is(value, -0) ? '-0' : Number.isFinite(value) ? singleText(value) : String(value),
  ),
  [DuckDBTypeId.BLOB]: of<DuckDBBlobValue>(({ bytes }) => `\\x${Buffer.from(bytes).toString('hex')}`),
  [DuckDBTypeId.DATE]: of<DuckDBDateValue>(({ days }) =>
    Math.abs(days) === endOfDates ? infinity(days > 0) : dated(isoDate(days), ''),
  ),
  [DuckDBTypeId.TIME]: of<DuckDBTimeValue>((value) => shortened(timeText(value))),
  [DuckDBTypeId.TIME_NS]: of<DuckDBTimeNSValue>(({ nanos }) =>
    shortened(timeText({ micros: nanos / 1_000n } as DuckDBTimeValue)),
  ),
  [DuckDBTypeId.TIME_TZ]: of<DuckDBTimeTZValue>((value) =>
    zonedTimeText(value)
      .replace(/\.?0{0,6}(?=[+-])/, '')
      .replace(/(?<=[+-]\d\d):00$/, ''),
  ),
  [DuckDBTypeId.TIMESTAMP]: of<DuckDBTimestampValue>(({ micros }) =>
    moment(micros, microsecondTimestampText),
  ),
  [DuckDBTypeId.TIMESTAMP_TZ]: of<DuckDBTimestampTZValue>(({ micros }) =>
    moment(micros, microsecondTimestampText, '+00'),
  ),
  [DuckDBTypeId.TIMESTAMP_S]: of<DuckDBTimestampSecondsValue>(({ seconds }) =>
    moment(seconds, (units) => timestampText(units, 0, 6)),
  ),
  [DuckDBTypeId.TIMESTAMP_MS]: of<DuckDBTimestampMillisecondsValue>(({ millis }) =>
    moment(millis, (units) => timestampText(units, 3, 6)),
  ),
  [DuckDBTypeId.TIMESTAMP_NS]: of<DuckDBTimestampNanosecondsValue>(({ nanos }) =>
    moment(nanos, (units) => timestampText(units, 9, 6)),
  ),
  [DuckDBTypeId.INTERVAL]: of<DuckDBIntervalValue>(intervalText),
};

const infinity = (isPositive: boolean): string => (isPositive ? 'infinity' : '-infinity');

function moment(units: bigint, iso: (units: bigint) => string, zone = ''): string {
  if (units === endOfTime || units === -endOfTime) return infinity(units > 0n);
  const text = iso(units);
  const at = text.indexOf('T', 10);
  return dated(text.slice(0, at), ` ${shortened(text.slice(at + 1))}${zone}`);
}

/** Years before the first count backwards from it; ISO 8601 has a year zero, and a sign. */
function dated(date: string, rest: string): string {
  const first = date.charCodeAt(0);
  if (first !== 43 && first !== 45 && !date.startsWith('0000')) return date + rest;
  const [, sign, year = '', days = ''] = /^([+-]?)(\d+)(-.*)$/.exec(date)!;
  if (sign === '+') return `${year.replace(/^0+/, '')}${days}${rest}`;
  return `${String(Number(year) + 1).padStart(4, '0')}${days}${rest} BC`;
}

/** Without zeros at the end of the fraction. */
function shortened(time: string): string {
  let end = time.length;
  while (time.charCodeAt(end - 1) === 48) end -= 1;
  return time.charCodeAt(end - 1) === 46 ? time.slice(0, end - 1) : time.slice(0, Math.max(end, 8));
}

const needsQuotes = /^$|^null$|["\\{},\s]/i;

function arrayText(item: ValueEncoder): ValueEncoder {
  return of<DuckDBListValue | DuckDBArrayValue>(({ items }) => {
    const written = items.map((value) => {
      if (value === null) return 'NULL';
      const text = item(value);
      return needsQuotes.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
    });
    return `{${written.join(',')}}`;
  });
}
