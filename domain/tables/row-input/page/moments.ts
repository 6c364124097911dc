import { byte } from './tokens.ts';

function digits(source: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index += 1) {
    const digit = source[index]! - byte.zero;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** `yyyy-mm-dd` with a day that every month has. */
export function isPlainDate(source: Uint8Array, at: number): boolean {
  const month = digits(source, at + 5, 2);
  const day = digits(source, at + 8, 2);
  return (
    digits(source, at, 4) > 0 &&
    source[at + 4] === byte.minus &&
    month >= 1 &&
    month <= 12 &&
    source[at + 7] === byte.minus &&
    day >= 1 &&
    day <= 28
  );
}

/** `Thh:mm:ss` or ` hh:mm:ss`, with at most six fraction digits. */
export function isPlainTime(source: Uint8Array, at: number, end: number): boolean {
  const hour = digits(source, at + 1, 2);
  const minute = digits(source, at + 4, 2);
  const second = digits(source, at + 7, 2);
  const isWhole =
    (source[at] === 0x54 || source[at] === 0x20) &&
    hour >= 0 &&
    hour <= 23 &&
    source[at + 3] === byte.colon &&
    minute >= 0 &&
    minute <= 59 &&
    source[at + 6] === byte.colon &&
    second >= 0 &&
    second <= 59;
  if (!isWhole || end === at + 9) return isWhole;
  const fraction = end - at - 10;
  return (
    source[at + 9] === byte.point && fraction >= 1 && fraction <= 6 && digits(source, at + 10, fraction) >= 0
  );
}
