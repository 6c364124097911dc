/**
 * Cache: dates in a column repeat, so most are looked up instead of computed. Cleared when it grows too
 * large.
 */
const knownDates = new Map<number, string>();
const mostKnownDates = 20_000;

/**
 * Days since 1970-01-01 to `YYYY-MM-DD` in the proleptic Gregorian calendar. The engine's dates span millions
 * of years, beyond JavaScript's Date; years of more than four digits use ISO 8601's sign and six digits.
 */
export function isoDate(daysSinceEpoch: number): string {
  let date = knownDates.get(daysSinceEpoch);
  if (date === undefined) {
    if (knownDates.size >= mostKnownDates) knownDates.clear();
    date = computedDate(daysSinceEpoch);
    knownDates.set(daysSinceEpoch, date);
  }
  return date;
}

function computedDate(daysSinceEpoch: number): string {
  // The civil-from-days algorithm, with 400-year eras that begin on the first of March.
  const shifted = daysSinceEpoch + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${isoYear(year)}-${twoDigits(month)}-${twoDigits(day)}`;
}

function isoYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}

const pairs = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));

export function twoDigits(value: number): string {
  return pairs[value] ?? String(value);
}

/** Seconds of a day to `hh:mm:ss`; 24:00:00 is kept, as the engine stores it. */
export function clockTime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
}
