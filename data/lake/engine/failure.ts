import { AppError } from '../../errors.ts';

/** Read from the front: what follows may quote a user's values. */
const transient = [
  /^(IO|HTTP|Connection|FATAL|INTERNAL|TransactionContext) Error/,
  /^Invalid Input Error: Attempting to \w+ [\w ]+\nError: (IO|HTTP|Connection|FATAL|INTERNAL|TransactionContext) Error/,
  /^Invalid Error: Failed to /,
  /^[\w ]+ Error: Failed to [a-z ]*DuckLake/,
];

const broken =
  /^(Invalid Input Error: Attempting to \w+ [\w ]+\nError: |[\w ]+ Error: Failed to [\w ]+: )?(INTERNAL|FATAL) Error/;

/**
 * Whether a statement failed on its way to the catalog, the object store or within the engine itself, so that it may
 * succeed later as it stands.
 */
export function isTransientFailure(error: unknown): boolean {
  if (error instanceof EngineEndedError) return true;
  if (!(error instanceof Error)) return false;
  // No pattern needs more of a message than its start.
  const start = error.message.slice(0, 300);
  return transient.some((pattern) => pattern.test(start));
}

/** Whether the work came to more than the engine, or an answer of it, may hold: no other try does better. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory Error');
}

/** After one of these an engine may answer nothing any more: its process is replaced. */
export function isBrokenEngine(error: unknown): boolean {
  return error instanceof Error && broken.test(error.message.slice(0, 300));
}

/** The process ended while it worked: a crash of the engine, too much memory, or somebody killed it. */
export class EngineEndedError extends AppError {
  constructor() {
    super(
      'storage_unavailable',
      'The engine that worked on this ended before it was done; try again shortly.',
      {
        retryAfterSeconds: 1,
      },
    );
  }
}
