import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Of a row, in pixels. */
const rowHeight = 30;
/** Browsers draw nothing that is much higher. */
const mostHeight = 8_000_000;
/** Rows that are drawn before and after those in sight. */
const around = 15;
/** After the last movement, in milliseconds. */
const restMs = 150;

export interface RowWindow {
  onScroll: () => void;
  /** The first row that is drawn, and the one after the last. */
  from: number;
  to: number;
  /** Pixels in place of the rows that are not drawn. */
  before: number;
  after: number;
}

/**
 * Which of many rows of one height are drawn in a frame that scrolls. More rows than a browser can draw
 * among one another share its height: small movements go from row to row, large ones to that part of the rows.
 */
export function useRowWindow(frame: RefObject<HTMLElement | null>, count: number): RowWindow {
  const total = count * rowHeight;
  const height = Math.min(total, mostHeight);
  /** Where the first row in sight is among all rows, less where it is drawn; both in pixels. */
  const base = useRef(0);
  const lastTop = useRef(0);
  const [top, setTop] = useState(0);
  const [inSight, setInSight] = useState(30);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);

  /** The part of all rows that lies before the first one in sight, for a place of the scroll bar, or back. */
  const scale = useCallback(() => {
    const most = frame.current!.scrollHeight - frame.current!.clientHeight;
    return most <= 0 ? 1 : (total - (height - most)) / most;
  }, [frame, total, height]);

  const onScroll = useCallback(() => {
    const { scrollTop, clientHeight } = frame.current!;
    if (height < total) {
      const isFar = Math.abs(scrollTop - lastTop.current) > 2 * clientHeight;
      if (isFar) base.current = scrollTop * (scale() - 1);
      clearTimeout(rest.current);
      // The bar is put to where the rows are, and they stay.
      rest.current = setTimeout(() => {
        const { scrollTop: now, scrollHeight, clientHeight } = frame.current!;
        const last = total - (height - (scrollHeight - clientHeight));
        const all = Math.min(Math.max(0, now + base.current), last);
        const place = Math.round(all / scale());
        base.current = all - place;
        lastTop.current = place;
        frame.current!.scrollTop = place;
        setTop(Math.max(0, Math.floor((place + base.current) / rowHeight)));
      }, restMs);
    }
    lastTop.current = scrollTop;
    setTop(Math.max(0, Math.floor((scrollTop + base.current) / rowHeight)));
  }, [frame, height, total, scale]);

  useLayoutEffect(() => {
    const measure = new ResizeObserver(() =>
      setInSight(Math.ceil((frame.current?.clientHeight ?? 0) / rowHeight)),
    );
    measure.observe(frame.current!);
    return () => measure.disconnect();
  }, [frame]);
  useEffect(() => () => clearTimeout(rest.current), []);

  const first = Math.min(top, Math.max(0, count - 1));
  const from = Math.max(0, first - around, Math.ceil(base.current / rowHeight));
  const to = Math.min(count, first + inSight + around);
  const before = Math.max(0, from * rowHeight - base.current);
  return { onScroll, from, to, before, after: Math.max(0, height - before - (to - from) * rowHeight) };
}
