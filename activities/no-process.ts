import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../data/errors.ts';
import { noProcessFailure } from '../workflows/waiting/names.ts';

/**
 * Where there was no process for an attempt, throws the failure after which its workflow waits by a timer, so
 * that it holds no worker's slot meanwhile.
 */
export function throwIfNoProcess(error: unknown): void {
  if (error instanceof AppError && error.code === 'queries_saturated')
    throw ApplicationFailure.create({ type: noProcessFailure, message: error.code, nonRetryable: true });
}
