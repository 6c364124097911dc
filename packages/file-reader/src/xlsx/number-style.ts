/**
 * How cells show their number: as a date, as a time that may also have a date, or as an elapsed time, whose
 * hours, minutes or seconds do not wrap around.
 */
export type NumberStyle = 'date' | 'time' | 'elapsed';

/** Excel's own limit. */
const maxFormatChars = 255;

/** Built-in formats that show a time without a date. */
const builtInTimes = new Set([18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56]);
const builtInElapsed = 46;

/** Built-in formats are told by their number, others by their letters. Undefined for an ordinary number. */
export function numberStyle(id: number, code: string | undefined): NumberStyle | undefined {
  if (code === undefined) {
    if (id === builtInElapsed) return 'elapsed';
    if (builtInTimes.has(id)) return 'time';
    return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'date' : undefined;
  }
  if (code.length > maxFormatChars) return undefined;
  const { section, isElapsed } = firstSection(code.toLowerCase());
  if (!showsDate(section)) return undefined;
  if (hasDay(section, isElapsed)) return 'date';
  return isElapsed ? 'elapsed' : 'time';
}

/** A lone `m` is a month unless it stands with hours or seconds. */
function hasDay(section: string, isElapsed: boolean): boolean {
  const has = (field: string): boolean => section.includes(field);
  return has('y') || has('d') || has('mmm') || (has('m') && !isElapsed && !has('h') && !has('s'));
}

/** The part before the first semicolon, without literal texts, colours and conditions; [hh] becomes h. */
function firstSection(code: string): { section: string; isElapsed: boolean } {
  let section = '';
  let hasElapsed = false;
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
      if (character === '[' && isElapsed(inner)) {
        section += inner.charAt(0);
        hasElapsed = true;
      }
    } else section += character;
  }
  return { section, isElapsed: hasElapsed };
}

/** Elapsed hours, minutes or seconds. */
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
