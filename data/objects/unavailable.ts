import { AppError } from '../errors.ts';

/** What a store that fails, or does not answer, is to a caller. */
export function unavailable(cause: unknown): AppError {
  return new AppError('storage_unavailable', "The object store didn't answer. Try again shortly.", {
    cause,
    retryAfterSeconds: 2,
  });
}
