import type { Warning } from '../contract.ts';
import type { SheetRow } from './sheet.ts';

/** More than so many lines above the names are no title. */
const mostTitles = 5;
/** Rows below the names, by which they are told from a row of values. */
const judgedRows = 5;

export interface TitleFilter {
  row(row: SheetRow): void;
  /** Passes on what was held. */
  end(): void;
  warnings(): Warning[];
}

/**
 * Leaves out rows with a single text above the names of the columns: titles. The names are several different
 * texts, with rows of several values below them.
 */
export function skipTitles(onRow: (row: SheetRow) => void): TitleFilter {
  /** The first rows, until it is decided. */
  let held: SheetRow[] | undefined = [];
  let titles: readonly SheetRow[] = [];

  function decide(): void {
    const rows = held ?? [];
    held = undefined;
    const names = rows.findIndex((row) => !isTitle(row));
    const isFound = names > 0 && names <= mostTitles && areNames(rows[names]!, rows.slice(names + 1));
    titles = isFound ? rows.slice(0, names) : [];
    for (const row of rows.slice(titles.length)) onRow(row);
  }

  return {
    row(row) {
      if (held === undefined) {
        onRow(row);
        return;
      }
      held.push(row);
      const names = held.findIndex((cell) => !isTitle(cell));
      const isEnough = names === -1 ? held.length > mostTitles : held.length > names + judgedRows;
      if (isEnough || names === 0) decide();
    },
    end() {
      if (held !== undefined) decide();
    },
    warnings: () =>
      titles.length === 0
        ? []
        : [
            {
              code: 'title_rows',
              count: titles.length,
              message: `${titles.length === 1 ? `Row ${titles[0]!.number}` : `Rows ${titles[0]!.number} to ${titles.at(-1)!.number}`} above the names ${titles.length === 1 ? 'is' : 'are'} not read. To read ${titles.length === 1 ? 'it' : 'them'}, set xlsx.header_row.`,
            },
          ],
  };
}

const isTitle = ({ cells, unkept, isCut }: SheetRow): boolean =>
  cells.length === 1 && cells[0]!.tag === 's' && unkept.length === 0 && !isCut;

function areNames({ cells, unkept, isCut }: SheetRow, below: readonly SheetRow[]): boolean {
  const isOfTexts =
    cells.length > 1 && cells.every(({ tag }) => tag === 's') && unkept.length === 0 && !isCut;
  const isDistinct = new Set(cells.map(({ text }) => text)).size === cells.length;
  const wide = below.filter((row) => row.cells.length + row.unkept.length > 1).length;
  return isOfTexts && isDistinct && below.length > 0 && wide * 2 >= below.length;
}
