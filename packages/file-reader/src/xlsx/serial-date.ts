import type { NumberStyle } from './number-style.ts';

const secondMs = 1_000;
const dayMs = 86_400_000;
const epoch1900 = Date.UTC(1899, 11, 30);
const epoch1904 = Date.UTC(1904, 0, 1);
const maxSerial = 2_958_466;

/**
 * Converts a workbook's date, a number of days, to `YYYY-MM-DD`, with a time if it has one, or to a time
 * alone if below one day; an elapsed time stays hours, as many as they are. Undefined for a number that is
 * neither. Excel treats 1900 as a leap year, so days before its 29 February are off by one.
 */
export function serialDate(serial: number, style: NumberStyle, is1904: boolean): string | undefined {
  if (!Number.isFinite(serial) || Math.abs(serial) >= maxSerial) return undefined;
  if (style === 'elapsed') return elapsedText(serial);
  if (serial < 0) return undefined;
  const days = Math.floor(serial);
  const timeMs = Math.round((serial - days) * dayMs);
  const shifted = !is1904 && days < 60 ? days + 1 : days;
  const iso = new Date((is1904 ? epoch1904 : epoch1900) + shifted * dayMs + timeMs).toISOString();
  const clock = iso.slice(11, timeMs % secondMs === 0 ? 19 : 23);
  // Day 0 is 1 January 1904 in one calendar, and no day in the other.
  if (serial < 1 && !(is1904 && style === 'date')) return clock;
  return timeMs % dayMs === 0 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${clock}`;
}

/** As a clock's time is written, with a sign and with as many hours as it has. */
function elapsedText(days: number): string {
  const ms = Math.round(Math.abs(days) * dayMs);
  const two = (count: number): string => String(count).padStart(2, '0');
  const seconds = Math.floor(ms / secondMs);
  const fraction = ms % secondMs === 0 ? '' : `.${String(ms % secondMs).padStart(3, '0')}`;
  const clock = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) => two(Math.floor(part)));
  return `${days < 0 && ms > 0 ? '-' : ''}${clock.join(':')}${fraction}`;
}
