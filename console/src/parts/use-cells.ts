import { type KeyboardEvent, type MouseEvent, useState } from 'react';

/** A cell, by where it is among all rows and columns. */
export interface CellPlace {
  row: number;
  column: number;
}

const cellOf = (target: EventTarget): HTMLTableCellElement | null => (target as Element).closest('td');

/** What does not fit into its cell: a longer text, or one of several lines. */
const isCut = (cell: HTMLTableCellElement) =>
  cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight;

/** Cells of a frame that are gone through by arrows after Enter, and of which one is shown whole. */
export function useCells(firstColumn: number, onFrameKey?: (event: KeyboardEvent) => void) {
  const [open, setOpen] = useState<CellPlace>();
  const show = (cell: HTMLTableCellElement) => {
    const row = Number(cell.parentElement!.getAttribute('aria-rowindex')) - 2;
    setOpen({ row, column: firstColumn + cell.cellIndex });
  };
  return {
    open,
    close: () => setOpen(undefined),
    onClick({ target }: MouseEvent) {
      const cell = cellOf(target as Element);
      // Who selects a part of it wants to copy that.
      if (cell !== null && isCut(cell) && getSelection()?.isCollapsed !== false) show(cell);
    },
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      onFrameKey?.(event);
      const { key, target, currentTarget: frame } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const cell = cellOf(target as Element);
      const next = cell === null ? undefined : neighbour(cell, key);
      if (target === frame && key === 'Enter') inSight(frame)?.focus();
      else if (cell !== null && key === 'Enter') show(cell);
      else if (cell !== null && key === 'Escape') frame.focus();
      else if (next !== undefined) next?.focus();
      else return;
      event.preventDefault();
    },
  };
}

/** The first cell that is not under the head. */
function inSight(frame: HTMLElement): HTMLElement | undefined {
  const head = frame.querySelector('thead')!.getBoundingClientRect().bottom;
  const { left } = frame.getBoundingClientRect();
  return [...frame.querySelectorAll('td')].find((cell) => {
    const box = cell.getBoundingClientRect();
    return box.top >= head - 1 && box.left >= left - 1;
  });
}

/** The cell to which a key leads: null where there is none, undefined if the key leads nowhere. */
function neighbour(cell: HTMLTableCellElement, key: string): HTMLTableCellElement | null | undefined {
  const inRow = (row: Element | null) => (row as HTMLTableRowElement | null)?.cells[cell.cellIndex] ?? null;
  if (key === 'ArrowDown') return inRow(cell.parentElement!.nextElementSibling);
  if (key === 'ArrowUp') return inRow(cell.parentElement!.previousElementSibling);
  if (key === 'ArrowRight') return cell.nextElementSibling as HTMLTableCellElement | null;
  return key === 'ArrowLeft' ? (cell.previousElementSibling as HTMLTableCellElement | null) : undefined;
}
