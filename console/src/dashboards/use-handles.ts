import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from 'react';
import { bounded, gridColumns, placed } from '../saved/layout.ts';
import type { Tile } from '../saved/resources.ts';

type Change = (to: (tiles: readonly Tile[]) => Tile[]) => void;
type Of = 'move' | 'resize';

/** Pixels from one row to the next, as the style sheet has them. */
const rowStep = 48;

const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const changed = (tile: Tile, of: Of, [columns, rows]: readonly [number, number]): Tile =>
  bounded(
    of === 'move'
      ? { ...tile, x: tile.x + columns, y: tile.y + rows }
      : { ...tile, width: Math.min(gridColumns - tile.x, tile.width + columns), height: tile.height + rows },
  );

interface Drag {
  of: Of;
  left: number;
  top: number;
  tile: Tile;
  tiles: readonly Tile[];
}

/** The handles of a tile: they move it and change its size by the pointer, and by arrows while they have the focus. */
export function useHandles(
  grid: RefObject<HTMLElement | null>,
  change: Change,
  onPlaced: (tile: Tile) => void,
) {
  const drag = useRef<Drag>(undefined);
  return (tile: Tile, tiles: readonly Tile[], of: Of) => ({
    onKeyDown(event: KeyboardEvent) {
      const step = steps[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const next = changed(tile, of, step);
      change((now) => placed(now, next));
      onPlaced(next);
    },
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { of, left: event.clientX, top: event.clientY + scrollY, tile, tiles };
    },
    onPointerMove(event: PointerEvent) {
      const begun = drag.current;
      if (begun === undefined || begun.of !== of) return;
      const columnStep = grid.current!.clientWidth / gridColumns;
      const next = changed(begun.tile, of, [
        Math.round((event.clientX - begun.left) / columnStep),
        Math.round((event.clientY + scrollY - begun.top) / rowStep),
      ]);
      // From where the others were when it began: they come back once it has passed them.
      change(() => placed(begun.tiles, next));
    },
    onPointerUp() {
      drag.current = undefined;
    },
    onPointerCancel() {
      drag.current = undefined;
    },
  });
}
