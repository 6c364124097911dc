const dayMs = 86_400_000;
const epoch1900 = Date.UTC(1899, 11, 30);
const epoch1904 = Date.UTC(1904, 0, 1);
const maxSerial = 2_958_466;

/**
 * A date as a workbook stores it, a number of days: as `YYYY-MM-DD`, with a time where it has one, or as a time
 * alone below one day. Undefined for a number that is no date. Excel takes 1900 for a leap year, so the days
 * before its 29 February are one off.
 */
export function serialDate(serial: number, is1904: boolean): string | undefined {
  if (!Number.isFinite(serial) || serial < 0 || serial >= maxSerial) return undefined;
  const days = Math.floor(serial);
  const timeMs = Math.round((serial - days) * dayMs);
  const shifted = !is1904 && days < 60 ? days + 1 : days;
  const iso = new Date((is1904 ? epoch1904 : epoch1900) + shifted * dayMs + timeMs).toISOString();
  const clock = iso.slice(11, timeMs % 1_000 === 0 ? 19 : 23);
  if (serial < 1) return clock;
  return timeMs % dayMs === 0 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${clock}`;
}

/** Formats that show a number as a date or time: built-in ones by number, others by their letters. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (
      (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
    );
  const plain = code.replaceAll(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_./gi, '').split(';')[0] ?? '';
  return /[ymdhs]/i.test(plain) && !/[#?]|0(?!0*$)/.test(plain.replaceAll(/s\.0+/gi, 's'));
}
