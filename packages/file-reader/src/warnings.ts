import type { Warning } from './contract.ts';
import type { TextSource } from './text/source.ts';
import type { Numbering } from './text/table.ts';

/** Of the file, and of records that lack trailing fields if padding them would fix most of the bad ones. */
export function warningsOf(
  { effective, warnings = [] }: Pick<TextSource, 'effective' | 'warnings'>,
  { short }: Pick<Numbering, 'short'>,
  badRows: number,
): Warning[] {
  return [...warnings, ...shortRowWarnings(effective, short, badRows)];
}

function shortRowWarnings(effective: TextSource['effective'], short: number, badRows: number): Warning[] {
  if (short === 0) return [];
  const rows = short === 1 ? '1 row lacks' : `${short} rows lack`;
  if (effective?.shortRows === 'pad')
    return [
      {
        code: 'short_rows_padded',
        count: short,
        message: `${rows} trailing fields, which are read as null.`,
      },
    ];
  if (short * 2 < badRows) return [];
  const message = `${rows} trailing fields. To read these fields as null, set csv.short_rows to pad.`;
  return [{ code: 'short_rows', count: short, message }];
}
