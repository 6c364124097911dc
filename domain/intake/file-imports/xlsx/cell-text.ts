import { BadFileError } from '../bad-file.ts';

/** A cell holds 32,767 characters by the format's own rule; not every program keeps it. */
const maxCellChars = 4 * 32_767;

/** Excel writes control characters of a string as _x000D_. */
export function unescapeCell(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Gathers a text that may stand in several elements, without what is only said of its pronunciation. */
export interface CellText {
  open(name: string): void;
  close(name: string): void;
  text(text: string): void;
  /** The text so far; the next one starts empty. */
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
