import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { adviceOf } from './advice.ts';

const outcomeKey = defineSearchAttributeKey('Outcome', SearchAttributeType.KEYWORD);

/**
 * Records the outcome of a process, or of one round of it: a word to filter by, and a description in the past
 * tense.
 */
export function recordOutcome(outcome: string, details: string): void {
  upsertSearchAttributes([{ key: outcomeKey, value: outcome }]);
  setCurrentDetails(details);
}

/** The API address of the resource that a process serves, from its memo. */
export function addressInApi(): string | undefined {
  const { memo } = workflowInfo();
  return typeof memo?.['address'] === 'string' ? memo['address'] : undefined;
}

/** Where a person makes the decision that a process waits for: one approval, or the list of them. */
export function whereToDecide(approvalId?: string): string {
  const address = addressInApi() ?? '…';
  return approvalId === undefined
    ? `GET ${address}/approvals lists the approvals, and POST ${address}/approvals/{id} decides one`
    : `POST ${address}/approvals/${approvalId} decides`;
}

/**
 * What failed, its error code, advice, and where to look; never the original message, which may contain user
 * data.
 */
export function failureText(what: string, code: string, address = addressInApi()): string {
  const where = address === undefined ? 'Its row has details.' : `GET ${address} has details.`;
  return `${what} failed with ${code}. ${adviceOf(code)} ${where}`;
}

/** Ends a process as Failed, with all that can be said without reading its row. */
export function failedAs(code: string | null, what: string, also = ''): ApplicationFailure {
  const type = code ?? 'internal_error';
  const message = [failureText(what, type), also].join(' ').trim();
  recordOutcome('failed', message);
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

/** Texts for each way in which a process may end. */
export interface Endings {
  /** The process in plain words: `The import`. */
  what: string;
  succeeded: string;
  cancelled: string;
  /** What failed, if it is less than the whole process. */
  failedPart?: string;
  /** Further information about a failure. */
  failed?: string;
}

/**
 * Ends a process as its row ended: Completed, Failed with the row's error code, or Canceled if cancellation
 * was requested.
 */
export function endAs(
  status: 'succeeded' | 'failed' | 'cancelled',
  errorCode: string | null,
  { what, succeeded, cancelled, failedPart = what, failed }: Endings,
): void {
  if (status === 'failed') throw failedAs(errorCode, failedPart, failed);
  recordOutcome(status, status === 'succeeded' ? succeeded : cancelled);
  if (status === 'cancelled') endAsCancelled(what);
}

/**
 * Ends a process as Canceled if cancellation was requested, otherwise has no effect. Also used between two
 * steps of which the first could not be interrupted.
 */
export function endAsCancelled(what: string): void {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure(`${what} was cancelled.`);
}
