import { BadFileError } from '../bad-file.ts';

/** The format allows 32,767 characters per cell, but not every program complies. */
const maxCellChars = 4 * 32_767;

/** Excel writes control characters in strings as _x000D_. */
export function unescapeCell(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Collects a text that may be spread over several elements, without phonetic hints. */
export interface CellText {
  open(name: string): void;
  close(name: string): void;
  text(text: string): void;
  /** The text so far; resets it. */
  take(): string;
}

export function createCellText(): CellText {
  let gathered = '';
  let isText = false;
  let isPhonetic = false;
  return {
    open(name) {
      if (name === 'v' || name === 't') isText = true;
      else if (name === 'rPh') isPhonetic = true;
    },
    close(name) {
      if (name === 'v' || name === 't') isText = false;
      else if (name === 'rPh') isPhonetic = false;
    },
    text(text) {
      if (!isText || isPhonetic) return;
      gathered += text;
      if (gathered.length > maxCellChars)
        throw new BadFileError('too_large', `A cell has more than ${maxCellChars} characters`);
    },
    take() {
      const text = gathered;
      gathered = '';
      return text;
    },
  };
}
