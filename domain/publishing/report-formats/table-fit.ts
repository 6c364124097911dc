import type { TableBlock } from './block.ts';
import { textWidth } from './text-width.ts';

/** Padding on both sides of a cell's text, in points. */
export const cellPadding = 5;
/** Text sizes, in points. */
const sizes = [8, 7.2, 6.4, 5.5];
/** A wider column gets line breaks instead of taking room from other columns. */
const widest = 60;
const longestUnbroken = 22;

export interface TableFit {
  widths: number[];
  fontSize: number;
  isTurned: boolean;
}

/**
 * Fits a table: columns as wide as their texts if there is room, otherwise with smaller text; on a landscape
 * page if even the smallest text would break words on a portrait one.
 */
export function fitTable(table: TableBlock, width: number, turnedWidth: number | undefined): TableFit {
  const columns = measured(table);
  for (const fontSize of sizes.slice(0, 3)) {
    const widths = distributed(columns, fontSize, width);
    if (widths !== undefined) return { widths, fontSize, isTurned: false };
  }
  if (turnedWidth !== undefined)
    for (const fontSize of sizes) {
      const widths = distributed(columns, fontSize, turnedWidth);
      if (widths !== undefined) return { widths, fontSize, isTurned: true };
    }
  const isTurned = turnedWidth !== undefined;
  const room = (turnedWidth ?? width) - 2 * cellPadding * columns.length;
  const share = Math.max(6, room / columns.length);
  return { widths: columns.map(() => share), fontSize: sizes.at(-1)!, isTurned };
}

interface Measured {
  /** In ems. */
  natural: number;
  least: number;
}

function measured({ header, rows }: TableBlock): Measured[] {
  const columns = header.map(() => ({ natural: 1, least: 1 }));
  for (const row of [header, ...rows])
    for (const [index, runs] of row.entries()) {
      const column = columns[index]!;
      for (const { text, isBold } of runs) {
        const bold = row === header || isBold === true;
        for (const line of text.slice(0, 500).split('\n')) {
          column.natural = Math.max(column.natural, Math.min(widest, textWidth(line, bold)));
          if (column.least < longestUnbroken)
            for (const word of line.split(/[\s\u200b-]/))
              column.least = Math.max(column.least, Math.min(longestUnbroken, textWidth(word, bold)));
        }
      }
    }
  return columns;
}

function distributed(columns: readonly Measured[], fontSize: number, width: number): number[] | undefined {
  const room = width - (2 * cellPadding + 0.5) * columns.length;
  const least = sum(columns.map((column) => column.least)) * fontSize;
  if (least > room) return undefined;
  const natural = sum(columns.map((column) => column.natural)) * fontSize;
  if (natural <= room) return columns.map((column) => column.natural * fontSize + 0.5);
  const share = (room - least) / (natural - least);
  return columns.map((column) => (column.least + (column.natural - column.least) * share) * fontSize + 0.5);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
