import type { TableBlock } from './block.ts';
import { textWidth } from './text-width.ts';

/** Padding on both sides of a cell's text, in points. */
export const cellPadding = 5;
/** Text sizes, in points. */
const sizes = [8, 7.2, 6.4, 5.5];
/** A wider column gets line breaks instead of taking room from other columns. */
const widest = 60;
const longestUnbroken = 22;

/** Columns of a table that are drawn side by side. */
export interface TablePart {
  table: Pick<TableBlock, 'align' | 'header' | 'rows'>;
  /** In points, without padding. */
  widths: number[];
}

export interface TableFit {
  /** One, or several below each other that each begin with the table's first column. */
  parts: TablePart[];
  fontSize: number;
  isTurned: boolean;
}

/** Text size of a table in several parts. */
const partSize = 7.2;

/**
 * Fits a table: columns as wide as their texts if there is room, otherwise with smaller text; on a landscape
 * page if even small text would break words on a portrait one; in parts if the smallest would break them
 * there too.
 */
export function fitTable(table: TableBlock, width: number, turnedWidth: number | undefined): TableFit {
  const columns = measured(table);
  for (const fontSize of sizes.slice(0, 3)) {
    const widths = distributed(columns, fontSize, width);
    if (widths !== undefined) return { parts: [{ table, widths }], fontSize, isTurned: false };
  }
  if (turnedWidth !== undefined)
    for (const fontSize of sizes) {
      const widths = distributed(columns, fontSize, turnedWidth);
      if (widths !== undefined) return { parts: [{ table, widths }], fontSize, isTurned: true };
    }
  const parts = inParts(table, columns, turnedWidth ?? width);
  return { parts, fontSize: partSize, isTurned: turnedWidth !== undefined };
}

/** As many columns a part as fit without breaking words, and at least one beside the first. */
function inParts(table: TableBlock, columns: readonly Measured[], width: number): TablePart[] {
  const groups: number[][] = [];
  for (let index = 1; index < columns.length; index += 1) {
    const last = groups.at(-1);
    const wider = last === undefined ? undefined : [...last, index];
    if (wider !== undefined && distributed(at(columns, wider), partSize, width) !== undefined)
      groups[groups.length - 1] = wider;
    else groups.push([0, index]);
  }
  if (groups.length === 0) groups.push([0]);
  return groups.map((group) => {
    const some = at(columns, group);
    const widths = distributed(some, partSize, width) ?? equal(some.length, width);
    const { align, header, rows } = table;
    const part = {
      align: at(align, group),
      header: at(header, group),
      rows: rows.map((row) => at(row, group)),
    };
    return { table: part, widths };
  });
}

const at = <T>(items: readonly T[], indexes: readonly number[]): T[] => indexes.map((index) => items[index]!);

const equal = (columns: number, width: number): number[] =>
  Array.from({ length: columns }, () => Math.max(6, width / columns - 2 * cellPadding - 0.5));

/** Where lines may be broken: not within a number or date. */
const breaks = /[\s\u200b]|-(?!\d)/;

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
            for (const word of line.split(breaks))
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
