import { type KeyboardEvent, type RefObject, useCallback, useLayoutEffect, useMemo, useState } from 'react';

/** Columns come and go by so many, and so many are drawn at least before and after those in sight. */
const step = 4;

export interface ColumnWindow {
  onScroll: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  /** The first column that is drawn, and the one after the last. */
  from: number;
  to: number;
  /** Pixels of the columns before the first, of those that are drawn, and of all. */
  before: number;
  drawn: number;
  total: number;
}

/** Which of many columns of these widths are drawn in a frame that scrolls; undefined draws all that there are. */
export function useColumnWindow(
  frame: RefObject<HTMLElement | null>,
  widths: readonly number[] | undefined,
): ColumnWindow | undefined {
  /** Where each column begins, and where the last one ends. */
  const edges = useMemo(() => {
    const all = [0];
    for (const width of widths ?? []) all.push(all.at(-1)! + width);
    return all;
  }, [widths]);
  const [{ from, to }, setDrawn] = useState({ from: 0, to: 4 * step });

  const onScroll = useCallback(() => {
    const { scrollLeft, clientWidth } = frame.current!;
    const first = edges.findLastIndex((edge) => edge <= scrollLeft);
    const last = edges.findIndex((edge) => edge >= scrollLeft + clientWidth);
    const next = {
      from: Math.max(0, (Math.floor(first / step) - 1) * step),
      to: (Math.ceil((last < 0 ? edges.length : last) / step) + 1) * step,
    };
    setDrawn((now) => (now.from === next.from && now.to === next.to ? now : next));
  }, [frame, edges]);

  const isWide = widths !== undefined;
  useLayoutEffect(() => {
    if (!isWide) return;
    const measure = new ResizeObserver(onScroll);
    measure.observe(frame.current!);
    return () => measure.disconnect();
  }, [frame, isWide, onScroll]);

  if (widths === undefined) return undefined;
  const end = Math.min(to, widths.length);
  const begin = Math.min(from, end);
  return {
    onScroll,
    /** As in a spreadsheet: with Ctrl an arrow leads to the first column and to the last. */
    onKeyDown(event) {
      if (!event.ctrlKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
      event.preventDefault();
      frame.current!.scrollLeft = event.key === 'ArrowLeft' ? 0 : edges.at(-1)!;
    },
    ...{ from: begin, to: end },
    ...{ before: edges[begin]!, drawn: edges[end]! - edges[begin]!, total: edges.at(-1)! },
  };
}
