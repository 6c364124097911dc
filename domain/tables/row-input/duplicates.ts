import { AppError } from '../../../data/errors.ts';
import { shownRowId } from '../tables/row-id.ts';

/** The ids that are taken, or occur more than once. */
export function repeatsOf(ids: readonly bigint[], taken: ReadonlySet<bigint>): bigint[] {
  const seen = new Set<bigint>();
  return ids.filter((id) => taken.has(id) || seen.has(id) || !seen.add(id));
}

export function refuseRepeats(ids: readonly bigint[], taken: ReadonlySet<bigint>): void {
  const repeated = repeatsOf(ids, taken);
  if (repeated.length > 0) throw duplicateRowId(repeated);
}

export function duplicateRowId(ids: readonly bigint[]): AppError {
  const first = [...new Set(ids)].slice(0, 10);
  return new AppError(
    'duplicate_row_id',
    `These s_id values already exist in the table, or occur more than once in the request: ${first.join(', ')}.`,
    {
      extensions: { row_ids: first.map(shownRowId) },
    },
  );
}
