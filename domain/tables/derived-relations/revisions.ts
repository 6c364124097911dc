import { AppError } from '../../../data/errors.ts';
import type { Definition } from './definitions.ts';

type Counted = Pick<Definition, 'revision' | 'other_changes'>;

/** The revision as people see it: of the query, and of all else. */
export const revisionOf = ({ revision, other_changes: others }: Counted): number => revision + others;

export function refuseOtherRevision(definition: Counted, expected: number | undefined): void {
  if (expected !== undefined && expected !== revisionOf(definition)) throw changedMeanwhile(definition);
}

export function changedMeanwhile(definition: Counted): AppError {
  const revision = revisionOf(definition);
  return new AppError(
    'revision_conflict',
    `It has changed in the meantime: its revision is now ${revision}. Read it again, then repeat the change.`,
    {
      extensions: { current_revision: revision },
    },
  );
}
