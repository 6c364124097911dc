import { type ReactNode, useEffect, useRef } from 'react';
import { useRowWindow } from './row-window.ts';
import { cellText, isNumeric } from './value.ts';

export interface GridColumn {
  name: string;
  dataType: string | null;
}

interface GridFrameProps {
  label: string;
  columns: readonly GridColumn[];
  count: number;
  /** Undefined as long as it is not there. */
  rowAt: (index: number) => readonly unknown[] | undefined;
  /** Called with the first row that is drawn and the one after the last, when they change. */
  onShown?: ((from: number, to: number) => void) | undefined;
  /** What the head of a column shows, if not its name. */
  head?: (column: GridColumn, at: number) => ReactNode;
  sortOf?: (at: number) => 'ascending' | 'descending' | undefined;
}

/** Rows under their columns, of which only those in sight are drawn. */
export function GridFrame({ label, columns, count, rowAt, onShown, head, sortOf }: GridFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { onScroll, from, to, before, after } = useRowWindow(frame, count);
  useEffect(() => onShown?.(from, to), [from, to, onShown]);
  // Names of columns may repeat; the columns do not move.
  const heads = columns.map((column, at) => ({ ...column, at, key: `${at} ${column.name}` }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="grid" ref={frame} tabIndex={0} aria-label={label} onScroll={onScroll}>
      <table aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {heads.map(({ key, at, name, dataType }) => (
              <th
                key={key}
                scope="col"
                className={isNumeric(dataType) ? 'number' : undefined}
                title={dataType ?? ''}
                aria-sort={sortOf?.(at)}
              >
                {head?.(columns[at]!, at) ?? name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: before }} />}
          {Array.from({ length: Math.max(0, to - from) }, (_, drawn) => from + drawn).map((index) => {
            const row = rowAt(index);
            return (
              <tr key={index} aria-rowindex={index + 2} aria-busy={row === undefined || undefined}>
                {heads.map(({ key, at, dataType }) => (
                  <td key={key} className={isNumeric(dataType) ? 'number' : undefined}>
                    {row === undefined ? '…' : cellText(row[at])}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
    </section>
  );
}
