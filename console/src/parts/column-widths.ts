import { cellText } from './value.ts';

export interface GridColumn {
  name: string;
  dataType: string | null;
}

/** Rows that are looked at. */
const looked = 50;
/** In rem: what a character takes, what is beside the text, and the limits of the whole. */
const wide = { character: 0.58, beside: 2.25, least: 5, most: 24 };

/**
 * How wide each of many columns is, in pixels: by its name and its first values. It stays so, whatever comes into
 * sight, since a browser cannot fit a column to values that are not drawn.
 */
export function columnWidths(
  columns: readonly GridColumn[],
  rowAt: (index: number) => readonly unknown[] | undefined,
): number[] {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const rows = Array.from({ length: looked }, (_, index) => rowAt(index)).filter((row) => row !== undefined);
  return columns.map(({ name }, at) => {
    const longest = Math.max(measured(name), ...rows.map((row) => measured(cellText(row[at]))));
    const width = longest * wide.character + wide.beside;
    return Math.ceil(Math.min(wide.most, Math.max(wide.least, width)) * rem);
  });
}

/** In characters, of which those of East Asian scripts are two wide. */
function measured(text: string): number {
  let count = 0;
  for (const character of text) count += character >= '\u2e80' ? 2 : 1;
  return count;
}
