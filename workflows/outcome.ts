import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow';

const outcomeKey = defineSearchAttributeKey('Outcome', SearchAttributeType.KEYWORD);

/** Tells how a process, or one round of it, came out: by a word to filter by, and by what happened, in the past tense. */
export function tellOutcome(outcome: string, details: string): void {
  upsertSearchAttributes([{ key: outcomeKey, value: outcome }]);
  setCurrentDetails(details);
}

/** Ends a process whose work failed, so that it stands as Failed: the row says why, a history only the code. */
export function failedAs(code: string | null, what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: code ?? 'internal_error',
    message: `${what} failed; its row says why.`,
    nonRetryable: true,
  });
}

/**
 * Ends a process that was asked to stop, so that it stands as Canceled; nothing where it was not asked. Also stops it between
 * two steps, where the first was too far to be stopped.
 */
export function endAsCancelled(what: string): void {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure(`${what} was cancelled.`);
}
