import { randomInt } from 'node:crypto';

/** The letters of RFC 8628 §6.1: no vowels, so no words, and none that look alike. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;

/** A new user code of eight letters, about 2^34 possibilities. */
export function newUserCode(): string {
  return Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('');
}

/** As people read it: `BCDF-GHJK`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** A code as somebody typed it, in any case, with or without separators; undefined if it cannot be one. */
export function readUserCode(typed: string): string | undefined {
  const code = typed.slice(0, 64).toUpperCase().replace(/[\s-]/g, '');
  const isCode = code.length === codeLength && [...code].every((letter) => letters.includes(letter));
  return isCode ? code : undefined;
}
