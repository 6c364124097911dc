import { UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { GridColumn } from './column-widths.ts';
import { GridFrame } from './grid-frame.tsx';
import { type Order, sorted } from './sorted.ts';

interface GridProps {
  label: string;
  columns: readonly GridColumn[];
  rows: readonly (readonly unknown[])[];
  /** Whether these are all rows, which a click on a column puts in its order. */
  isSortable?: boolean;
  /** Whether the head of a column also says of which type it is. */
  isTyped?: boolean;
}

/** Rows that are all here. */
export function Grid({ label, columns, rows, isSortable = false, isTyped = false }: GridProps) {
  const [order, setOrder] = useState<Order>();
  const places = useMemo(() => order && sorted(rows, columns, order), [rows, columns, order]);
  return (
    <GridFrame
      label={label}
      columns={columns}
      count={rows.length}
      rowAt={(index) => rows[places?.[index] ?? index]}
      {...(isSortable
        ? {
            head: ({ name }, at) => (
              <UnstyledButton className="bare" onClick={() => setOrder((now) => next(now, at))}>
                {name}
              </UnstyledButton>
            ),
            sortOf: (at) => (order?.at !== at ? undefined : order.isDescending ? 'descending' : 'ascending'),
          }
        : isTyped
          ? { head: typed }
          : {})}
    />
  );
}

const typed = ({ name, dataType }: GridColumn) => (
  <>
    {name} <span className="type">{dataType}</span>
  </>
);

/** First ascending, then descending, then as the rows came. */
const next = (now: Order | undefined, at: number): Order | undefined =>
  now?.at !== at ? { at, isDescending: false } : now.isDescending ? undefined : { at, isDescending: true };
