import type { TableBlock } from './block.ts';
import type { ResultTable } from './contract.ts';

/** More columns are unreadable on any page. */
export const maxColumns = 30;
const numeric = /^(?:U?INTEGER|U?BIGINT|U?HUGEINT|DOUBLE|FLOAT|DECIMAL)/;

export function resultTable({ columns, rows, ...result }: ResultTable, alt: string): TableBlock {
  const shown = columns.slice(0, maxColumns);
  return {
    type: 'table',
    title: alt === '' ? result.title : alt,
    align: shown.map(({ dataType }) => (numeric.test(dataType) ? 'right' : 'left')),
    header: shown.map(({ name }) => [{ text: name }]),
    rows: rows.map((row) => shown.map((_, index) => [{ text: row[index] ?? '' }])),
    remark: cutRemark({ columns, rows, ...result }),
  };
}

/** A note for the reader that the table is incomplete. */
export function cutRemark({ columns, columnCount, rows, isCut }: ResultTable): string | undefined {
  const parts = [
    ...(isCut ? [`the first ${rows.length.toLocaleString('en')} rows`] : []),
    ...(columnCount > maxColumns
      ? [`${Math.min(maxColumns, columns.length)} of ${columnCount} columns`]
      : []),
  ];
  return parts.length === 0 ? undefined : `Shown: ${parts.join(', ')}.`;
}
