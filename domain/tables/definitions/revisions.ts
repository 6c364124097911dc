import { AppError } from '../../../data/errors.ts';
import type { Definition } from './definitions.ts';

export function refuseOtherRevision(definition: Definition, expected: number | undefined): void {
  if (expected !== undefined && expected !== definition.revision) throw changedMeanwhile(definition);
}

export function changedMeanwhile({ revision }: Pick<Definition, 'revision'>): AppError {
  return new AppError('revision_conflict', `It changed in the meantime: its revision is ${revision} now.`, {
    extensions: { current_revision: revision },
  });
}
