import type {
  DuckDBIntervalValue,
  DuckDBTimeNSValue,
  DuckDBTimestampTZValue,
  DuckDBTimeTZValue,
  DuckDBTimeValue,
} from '@duckdb/node-api';
import { clockTime, isoDate, twoDigits } from './calendar.ts';

const secondsPerDay = 86_400;
const zero = 48;

function floorDivide(value: bigint, divisor: bigint): [quotient: bigint, remainder: bigint] {
  const quotient = value / divisor;
  const remainder = value % divisor;
  return remainder < 0n ? [quotient - 1n, remainder + divisor] : [quotient, remainder];
}

/** Formats a count of units since the epoch, where a unit is 10^-`digits` seconds. */
export function timestampText(value: bigint, digits: 0 | 3 | 6 | 9, shownDigits: number): string {
  const [seconds, fraction] = floorDivide(value, 10n ** BigInt(digits));
  const [days, secondOfDay] = floorDivide(seconds, BigInt(secondsPerDay));
  const shownFraction = String(fraction).padStart(digits, '0').slice(0, digits).padEnd(shownDigits, '0');
  return `${isoDate(Number(days))}T${clockTime(Number(secondOfDay))}.${shownFraction.slice(0, shownDigits)}`;
}

/**
 * The same for TIMESTAMP, the most common type, with doubles instead of bigints, which is several times
 * faster.
 */
export function microsecondTimestampText(micros: bigint): string {
  const asNumber = Number(micros);
  if (!Number.isSafeInteger(asNumber)) return timestampText(micros, 6, 6);
  const seconds = Math.floor(asNumber / 1_000_000);
  const fraction = asNumber - seconds * 1_000_000;
  const days = Math.floor(seconds / secondsPerDay);
  const clock = clockTime(seconds - days * secondsPerDay);
  return `${isoDate(days)}T${clock}.${fraction === 0 ? '000000' : String(fraction).padStart(6, '0')}`;
}

/**
 * RFC 3339 in UTC, with milliseconds like every other instant of the API, and more digits if the value has
 * them.
 */
export function instantText(value: DuckDBTimestampTZValue): string {
  const text = microsecondTimestampText(value.micros);
  let end = text.length;
  while (end > text.length - 3 && text.charCodeAt(end - 1) === zero) end -= 1;
  return `${text.slice(0, end)}Z`;
}

export function timeText(value: DuckDBTimeValue): string {
  const micros = Number(value.micros);
  const seconds = Math.floor(micros / 1_000_000);
  return `${clockTime(seconds)}.${String(micros - seconds * 1_000_000).padStart(6, '0')}`;
}

export function nanosecondTimeText(value: DuckDBTimeNSValue): string {
  const [seconds, nanos] = floorDivide(value.nanos, 1_000_000_000n);
  return `${clockTime(Number(seconds))}.${String(nanos).padStart(9, '0')}`;
}

export function zonedTimeText(value: DuckDBTimeTZValue): string {
  const micros = Number(value.micros);
  const seconds = Math.floor(micros / 1_000_000);
  const offset = Math.abs(value.offset);
  const zone = `${twoDigits(Math.floor(offset / 3600))}:${twoDigits(Math.floor(offset / 60) % 60)}`;
  const zoneSeconds = offset % 60 === 0 ? '' : `:${twoDigits(offset % 60)}`;
  const fraction = String(micros - seconds * 1_000_000).padStart(6, '0');
  return `${clockTime(seconds)}.${fraction}${value.offset < 0 ? '-' : '+'}${zone}${zoneSeconds}`;
}

/** ISO 8601 with a sign on each part, since an interval's months, days and time are independent. */
export function intervalText(value: DuckDBIntervalValue): string {
  const years = Math.trunc(value.months / 12);
  const months = value.months % 12;
  const parts: string[] = ['P'];
  if (years !== 0) parts.push(`${years}Y`);
  if (months !== 0) parts.push(`${months}M`);
  if (value.days !== 0) parts.push(`${value.days}D`);
  if (value.micros !== 0n) parts.push('T', intervalTime(value.micros));
  return parts.length === 1 ? 'PT0S' : parts.join('');
}

function intervalTime(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const total = micros < 0n ? -micros : micros;
  const hours = total / 3_600_000_000n;
  const minutes = (total / 60_000_000n) % 60n;
  const seconds = (total / 1_000_000n) % 60n;
  const fraction = String(total % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{1,6}$/, '');
  let written = '';
  if (hours !== 0n) written += `${sign}${hours}H`;
  if (minutes !== 0n) written += `${sign}${minutes}M`;
  if (seconds !== 0n || fraction !== '') {
    written += `${sign}${seconds}${fraction === '' ? '' : `.${fraction}`}S`;
  }
  return written;
}
