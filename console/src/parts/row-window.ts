import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { mapped } from './mapped.ts';

/** Of a row, in pixels. */
const rowHeight = 30;
/** Browsers draw nothing that is much higher. */
const mostHeight = 8_000_000;
/** After the last movement, in milliseconds. */
const restMs = 150;

export interface RowWindow {
  onScroll: () => void;
  /** The first row that is drawn, and the one after the last. */
  from: number;
  to: number;
  /** Pixels instead of the rows that are not drawn. */
  before: number;
  after: number;
}

/**
 * Which of many rows of one height are drawn in a frame that scrolls. More rows than a browser can draw
 * among one another share its height: small movements go from row to row, large ones to that part of the rows.
 * So many are drawn before and after those in sight.
 */
export function useRowWindow(
  frame: RefObject<HTMLElement | null>,
  { count, around }: { count: number; around: number },
): RowWindow {
  const total = count * rowHeight;
  const height = Math.min(total, mostHeight);
  const isShared = height < total;
  /** The first row in sight, and how far it is from where it would be drawn if all rows were; in pixels. */
  const [view, setView] = useState({ first: 0, base: 0 });
  const base = useRef(0);
  const lastTop = useRef(0);
  /** Where the frame is to be put once the rows are drawn for it. */
  const next = useRef<number>(undefined);
  const [inSight, setInSight] = useState(30);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);

  const show = useCallback((all: number, on: number) => {
    base.current = on;
    const first = Math.max(0, Math.floor(all / rowHeight));
    setView((now) => (now.first === first && now.base === on ? now : { first, base: on }));
  }, []);

  /** How far the frame scrolls, and how far it would among all rows. */
  const reach = useCallback(() => {
    const most = Math.max(0, frame.current!.scrollHeight - frame.current!.clientHeight);
    return { most, last: most + total - height };
  }, [frame, total, height]);

  const onScroll = useCallback(() => {
    const { scrollTop, clientHeight } = frame.current!;
    if (!isShared) return show(scrollTop, 0);
    const { most, last } = reach();
    const isFar = Math.abs(scrollTop - lastTop.current) > 2 * clientHeight;
    const isAtEnd = scrollTop <= 0 || scrollTop >= most;
    lastTop.current = scrollTop;
    const on = isFar || isAtEnd ? mapped(scrollTop, most, last) - scrollTop : base.current;
    show(scrollTop + on, on);
    clearTimeout(rest.current);
    // The bar is put to where the rows are, and they stay.
    rest.current = setTimeout(() => {
      const ends = reach();
      const all = Math.min(Math.max(0, lastTop.current + base.current), ends.last);
      const top = Math.round(mapped(all, ends.last, ends.most));
      if (top === lastTop.current) return;
      next.current = top;
      show(all, all - top);
    }, restMs);
  }, [frame, isShared, reach, show]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the rows are drawn for another place.
  useLayoutEffect(() => {
    if (next.current === undefined) return;
    lastTop.current = next.current;
    frame.current!.scrollTop = next.current;
    next.current = undefined;
  }, [frame, view]);
  useLayoutEffect(() => {
    const measure = new ResizeObserver(() =>
      setInSight(Math.ceil((frame.current?.clientHeight ?? 0) / rowHeight)),
    );
    measure.observe(frame.current!);
    return () => measure.disconnect();
  }, [frame]);
  useEffect(() => () => clearTimeout(rest.current), []);

  const shift = isShared ? view.base : 0;
  const first = Math.min(view.first, Math.max(0, count - 1));
  const from = Math.max(0, first - around, Math.ceil(shift / rowHeight));
  const to = Math.max(from, Math.min(count, first + inSight + around));
  const before = Math.max(0, from * rowHeight - shift);
  return { onScroll, from, to, before, after: Math.max(0, height - before - (to - from) * rowHeight) };
}
