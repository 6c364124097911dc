const dayMs = 86_400_000;
const epoch1900 = Date.UTC(1899, 11, 30);
const epoch1904 = Date.UTC(1904, 0, 1);
const maxSerial = 2_958_466;

/**
 * Converts a workbook's date, a number of days, to `YYYY-MM-DD`, with a time if it has one, or to a time
 * alone if below one day. Undefined for a number that is not a date. Excel treats 1900 as a leap year, so
 * days before its 29 February are off by one.
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

/** Excel's own limit. */
const maxFormatChars = 255;

/** Whether a format shows a number as a date or time: built-in formats by number, others by their letters. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (
      (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
    );
  return code.length <= maxFormatChars && showsDate(firstSection(code.toLowerCase()));
}

/** The part before the first semicolon, without literal texts, colours and conditions; [h] becomes h. */
function firstSection(code: string): string {
  let section = '';
  for (let at = 0; at < code.length; at += 1) {
    const character = code[at]!;
    if (character === ';') break;
    if (character === '\\' || character === '_') at += 1;
    else if (character === '"' || character === '[') {
      const end = code.indexOf(character === '"' ? '"' : ']', at + 1);
      const inner = end === -1 ? '' : code.slice(at + 1, end);
      // An unclosed quote or bracket is an ordinary character.
      if (end === -1) section += character;
      else at = end;
      if (character === '[' && isElapsed(inner)) section += inner;
    } else section += character;
  }
  return section;
}

/** Elapsed hours, minutes or seconds, which do not wrap around. */
function isElapsed(inner: string): boolean {
  const [first = ''] = inner;
  return 'hms'.includes(first) && first !== '' && [...inner].every((character) => character === first);
}

/**
 * Whether it has a field of a date or time and no digit placeholders of a number; zeros after `s.` or at the
 * end are fractions of a second.
 */
function showsDate(section: string): boolean {
  let hasField = false;
  let sawZero = false;
  let previous = '';
  let isFraction = false;
  for (const character of section) {
    isFraction = character === '0' && (isFraction || previous === 's.');
    if (character === '#' || character === '?') return false;
    if (sawZero && character !== '0') return false;
    if (character === '0') sawZero = !isFraction;
    else if ('ymdhs'.includes(character)) hasField = true;
    previous = previous.slice(-1) + character;
  }
  return hasField;
}
