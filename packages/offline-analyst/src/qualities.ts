import type { Column, Table } from './catalog.ts';
import type { Findings } from './findings.ts';
import { badWords, qualityOf } from './lexicon.ts';
import { isKey } from './match.ts';
import type { Measure } from './question.ts';
import { stem, wordsOf } from './words.ts';

/** The column of numbers that an adjective such as "longest" or "late" is said of; the answer names it. */
export function qualityColumn(
  table: Table,
  quality: string,
  said: string,
  findings: Findings,
): Column | undefined {
  const numbers = table.columns.filter((column) => column.kind === 'number' && !isKey(column));
  for (const word of qualityOf.get(quality) ?? []) {
    const [column, ...others] = numbers.filter(({ name }) => wordsOf(name).map(stem).includes(word));
    if (column === undefined) continue;
    const more =
      others.length === 0 ? '' : ` (there is also ${others.map(({ name }) => `“${name}”`).join(', ')})`;
    findings.notes.push(`I took “${column.name}” for “${said}”${more}.`);
    return column;
  }
  findings.trouble.push(`Which column does “${said}” describe? I found no column that clearly fits.`);
  return undefined;
}

/** True if more of a measure is worse, as with delays. */
export function isBad({ column }: Measure): boolean {
  return column !== undefined && wordsOf(column.name).some((word) => badWords.has(stem(word)));
}
