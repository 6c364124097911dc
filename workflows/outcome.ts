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
 * Tells how a process, or one round of it, came out: by a word to filter by, and by what happened, in the
 * past tense.
 */
export function recordOutcome(outcome: string, details: string): void {
  upsertSearchAttributes([{ key: outcomeKey, value: outcome }]);
  setCurrentDetails(details);
}

/** Where the API shows what a process serves; it comes with the process. */
export function addressInApi(): string | undefined {
  const { memo } = workflowInfo();
  return typeof memo?.['address'] === 'string' ? memo['address'] : undefined;
}

/** Where a person decides what a process waits for: one approval, or those that its list shows. */
export function whereToDecide(approvalId?: string): string {
  const address = addressInApi() ?? '…';
  return approvalId === undefined
    ? `GET ${address}/approvals lists what is asked, POST ${address}/approvals/{id} decides`
    : `POST ${address}/approvals/${approvalId} decides`;
}

/**
 * What failed, by which code, what to do, and where to look: never why in the words of whoever's data it is.
 */
export function failureText(what: string, code: string, address = addressInApi()): string {
  const where = address === undefined ? 'Its row says more.' : `GET ${address} says more.`;
  return `${what} failed with ${code}. ${adviceOf(code)} ${where}`;
}

/**
 * Ends a process whose work failed, so that it stands as Failed, and tells all there is to know without its
 * row.
 */
export function failedAs(code: string | null, what: string, also = ''): ApplicationFailure {
  const type = code ?? 'internal_error';
  const message = [failureText(what, type), also].join(' ').trim();
  recordOutcome('failed', message);
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}

/** What is said of each way in which a process may end. */
export interface Endings {
  /** The process as a person calls it: `The import`. */
  what: string;
  succeeded: string;
  cancelled: string;
  /** What failed, where that is less than the whole process. */
  failedPart?: string;
  /** What else is to know about a failure. */
  failed?: string;
}

/**
 * Ends a process as its row ended: Completed, Failed with the row's code, or Canceled where it was asked to
 * stop.
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
 * Ends a process that was asked to stop, so that it stands as Canceled; nothing where it was not asked. Also
 * stops it between two steps, where the first was too far to be stopped.
 */
export function endAsCancelled(what: string): void {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure(`${what} was cancelled.`);
}
