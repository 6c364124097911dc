import type { CsvOptions } from '../contract.ts';
import { sample } from './sample.ts';

const candidates = [',', ';', '\t', '|', '^', '~', ':'];
const judgedBytes = 128 * 1024;

/**
 * The separator under which most records of the sample have the same number of fields, more than one. A file
 * in which none does has one column, and a comma serves.
 */
export function detectSeparator(bytes: Buffer, quote: string, options: CsvOptions): string {
  const part = bytes.subarray(0, judgedBytes);
  let best = { separator: ',', score: 0 };
  for (const separator of candidates) {
    if (separator === options.thousands || separator === quote) continue;
    const records = sample(part, part.length === bytes.length, separator, quote).filter(
      ({ line }) => line >= (options.headerRow ?? 1),
    );
    const score = consistency(records.map(({ fields }) => fields.length));
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}

function consistency(widths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let best = 0;
  for (const [width, count] of counts) {
    if (width < 2) continue;
    // More fields break a tie between two separators that both split every record evenly.
    best = Math.max(best, (count / widths.length) * (1 + Math.min(width, 50) / 1_000));
  }
  return best;
}
