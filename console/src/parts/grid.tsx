import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type Order, sorted } from './sorted.ts';
import { cellText, isNumeric } from './value.ts';

interface GridProps {
  label: string;
  columns: readonly { name: string; dataType: string | null }[];
  rows: readonly (readonly unknown[])[];
  /** Called when the last rows come into sight. */
  onEnd?: (() => void) | undefined;
  /** Whether these are all rows, which a click on a column puts in its order. */
  isSortable?: boolean;
}

const rowHeight = 30;
/** Rows before the last, at whose sight more are asked for. */
const ahead = 50;

/** Rows under their columns, of which only those in sight are drawn. */
export function Grid({ label, columns, rows, onEnd, isSortable = false }: GridProps) {
  const [order, setOrder] = useState<Order>();
  const places = useMemo(() => order && sorted(rows, columns, order), [rows, columns, order]);
  // Names of columns may repeat; the columns do not move.
  const heads = columns.map((column, at) => ({ ...column, at, key: `${at} ${column.name}` }));
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - ahead) onEnd?.();
  }, [last, rows.length, onEnd]);
  const before = shown[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="grid" ref={frame} tabIndex={0} aria-label={label}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {heads.map(({ key, at, name, dataType }) => (
              <th
                key={key}
                scope="col"
                className={isNumeric(dataType) ? 'number' : undefined}
                title={dataType ?? ''}
                aria-sort={order?.at !== at ? undefined : order.isDescending ? 'descending' : 'ascending'}
              >
                {isSortable ? (
                  <button type="button" className="bare" onClick={() => setOrder((now) => next(now, at))}>
                    {name}
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: before }} />}
          {shown.map(({ index }) => (
            <tr key={index} aria-rowindex={index + 2}>
              {heads.map(({ key, at, dataType }) => (
                <td key={key} className={isNumeric(dataType) ? 'number' : undefined}>
                  {cellText(rows[places?.[index] ?? index]![at])}
                </td>
              ))}
            </tr>
          ))}
          {after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
    </section>
  );
}

/** First ascending, then descending, then as the rows came. */
const next = (now: Order | undefined, at: number): Order | undefined =>
  now?.at !== at ? { at, isDescending: false } : now.isDescending ? undefined : { at, isDescending: true };
