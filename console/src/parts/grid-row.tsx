import { memo } from 'react';
import { Null } from './null.tsx';
import { cellText } from './value.ts';

/** A column as its cells need it. */
export interface Head {
  key: string;
  at: number;
  isNumber: boolean;
}

interface GridRowProps {
  heads: readonly Head[];
  /** Among all rows. */
  index: number;
  /** Undefined as long as it is not there. */
  row: readonly unknown[] | undefined;
  /** Whether other columns are there that are not drawn. */
  isPart: boolean;
}

/** Drawn again only when it changed: others come into sight with every movement. */
export const GridRow = memo(function GridRow({ heads, index, row, isPart }: GridRowProps) {
  return (
    <tr aria-rowindex={index + 2} aria-busy={row === undefined || undefined}>
      {heads.map(({ key, at, isNumber }) => (
        <td
          key={key}
          className={isNumber ? 'number' : undefined}
          aria-colindex={isPart ? at + 1 : undefined}
          tabIndex={-1}
        >
          {row === undefined ? '…' : row[at] == null ? <Null /> : cellText(row[at])}
        </td>
      ))}
    </tr>
  );
});
