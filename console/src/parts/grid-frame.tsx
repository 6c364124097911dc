import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import * as texts from '../texts/index.ts';
import { columnWidths, type GridColumn } from './column-widths.ts';
import { useColumnWindow } from './column-window.ts';
import { GridRow } from './grid-row.tsx';
import { useKeptFocus } from './kept-focus.ts';
import { useRowWindow } from './row-window.ts';
import { useCells } from './use-cells.ts';
import { isNumeric } from './value.ts';
import { WholeValue } from './whole-value.tsx';

interface GridFrameProps {
  label: string;
  /** The same array as long as they are the same. */
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

/** Of more columns those in sight alone are drawn, each of a width that stays. */
const mostWhole = 40;
/** Rows that are drawn before and after those in sight: fewer where each has many cells. */
const around = { narrow: 15, wide: 8 };

/** Rows under their columns, of which only those in sight are drawn. */
export function GridFrame({ label, columns, count, rowAt, onShown, head, sortOf }: GridFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { onScroll, from, to, before, after } = useRowWindow(frame, {
    count,
    around: around[columns.length > mostWhole ? 'wide' : 'narrow'],
  });
  useEffect(() => onShown?.(from, to), [from, to, onShown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the widths stay, whatever order the rows come in.
  const widths = useMemo(
    () => (columns.length > mostWhole ? columnWidths(columns, rowAt) : undefined),
    [columns],
  );
  const part = useColumnWindow(frame, widths);
  const [begin, end] = [part?.from ?? 0, part?.to ?? columns.length];
  const heads = useMemo(
    () =>
      columns.slice(begin, end).map(({ name, dataType }, drawn) => {
        const at = begin + drawn;
        // Names of columns may repeat; the columns do not move.
        return { name, dataType, at, isNumber: isNumeric(dataType), key: `${at} ${name}` };
      }),
    [columns, begin, end],
  );
  const { open, close, ...onCells } = useCells(begin, part?.onKeyDown);
  return (
    <section
      className={part === undefined ? 'grid' : 'grid wide'}
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label={label}
      aria-description={texts.parts.cells}
      onScroll={() => {
        onScroll();
        part?.onScroll();
      }}
      {...onCells}
      {...useKeptFocus(frame)}
    >
      <div style={part && { width: part.total }}>
        <table
          aria-rowcount={count + 1}
          aria-colcount={part && columns.length}
          style={part && { width: part.drawn, marginLeft: part.before }}
        >
          <thead>
            <tr aria-rowindex={1}>
              {heads.map(({ key, at, name, dataType, isNumber }) => (
                <th
                  key={key}
                  scope="col"
                  className={isNumber ? 'number' : undefined}
                  style={widths && { width: widths[at] }}
                  title={dataType ?? ''}
                  aria-colindex={part && at + 1}
                  aria-sort={sortOf?.(at)}
                >
                  {head?.(columns[at]!, at) ?? name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr style={{ height: before }} />}
            {Array.from({ length: Math.max(0, to - from) }, (_, drawn) => from + drawn).map((index) => (
              <GridRow key={index} {...{ heads, index }} row={rowAt(index)} isPart={part !== undefined} />
            ))}
            {after > 0 && <tr style={{ height: after }} />}
          </tbody>
        </table>
      </div>
      {open !== undefined && (
        <WholeValue
          name={columns[open.column]?.name ?? ''}
          value={rowAt(open.row)?.[open.column]}
          onClose={close}
        />
      )}
    </section>
  );
}
