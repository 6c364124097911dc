import type { ModelFailure } from '../models/failure.ts';

/** A model step that failed, with the failure to report and whether another attempt may succeed. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly failure: StepFailureInfo;

  constructor(failure: StepFailureInfo, cause?: unknown) {
    super(failure.code, { cause });
    this.failure = failure;
  }
}

export interface StepFailureInfo extends Pick<ModelFailure, 'message' | 'isRetryable' | 'retryAfterMs'> {
  code: string;
}

export const final = (code: string, message: string): StepFailure =>
  new StepFailure({ code, message, isRetryable: false, retryAfterMs: undefined });

export const again = (code: string, message: string): StepFailure =>
  new StepFailure({ code, message, isRetryable: true, retryAfterMs: undefined });
