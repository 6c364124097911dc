// biome-ignore lint/style/noRestrictedImports: this is the one place that asks the SDK.
import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';

/**
 * Whether an error says that work was cancelled. An activity whose attempt fails or is lost while its
 * cancellation is requested is not tried again, and its error is of that attempt rather than of the
 * cancellation. What no other attempt could change remains a failure.
 */
export function wasCancelled(error: unknown): boolean {
  if (isCancellation(error)) return true;
  if (!(error instanceof ActivityFailure) || error.retryState !== 'CANCEL_REQUESTED') return false;
  return !(error.cause instanceof ApplicationFailure && error.cause.nonRetryable === true);
}

/** A step that a cancellation does not interrupt. */
export const always = <T>(step: () => Promise<T>): Promise<T> => CancellationScope.nonCancellable(step);
