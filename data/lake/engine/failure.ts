import { AppError } from '../../errors.ts';

/** The prefix of an error that quotes another one. */
const quoting = /^Invalid Input Error: Attempting to \w+ [\w ]+\nError: /;

/** Matched from the start only, because the rest may quote a user's values. */
const transient = [
  /^(IO|HTTP|Connection|FATAL|INTERNAL|TransactionContext) Error/,
  /^Invalid Error: Failed to /,
  /^[\w ]+ Error: Failed to [a-z ]*DuckLake/,
  // Failures of the catalog's client itself; an error of the statement it sent is reported on commit.
  /^[\w ]+ Error: Failed to (?:prepare|execute|describe|fetch) /,
];

/** How a transient error words a lost connection to the catalog. */
const lostCatalog =
  /Failed to (?:prepare|describe|fetch|execute|get|read)|server closed the connection|terminating connection|connection to server|no connection|could not (?:receive|send)/;

const broken =
  /^(Invalid Input Error: Attempting to \w+ [\w ]+\nError: |[\w ]+ Error: Failed to [\w ]+: )?(INTERNAL|FATAL) Error/;

/**
 * A column was compared with a text that holds NUL: the catalog is asked for the files that may hold it, in a
 * statement that ends at the NUL.
 */
const comparedWithNul =
  /^[\w ]+ Error: Failed to get data file list from DuckLake: unterminated quoted string/;

/** Whether a statement failed because it compares a column with a text that holds the NUL character. */
export function isComparedWithNul(message: string): boolean {
  return comparedWithNul.test(message);
}

/**
 * Whether a statement failed on its way to the catalog, to the object store or within the engine, so that it
 * may succeed later unchanged.
 */
export function isTransientFailure(error: unknown): boolean {
  if (error instanceof EngineEndedError) return true;
  if (!(error instanceof Error)) return false;
  return isTransient(error.message);
}

function isTransient(message: string): boolean {
  // The patterns need only the start of a message.
  const start = message.slice(0, 400).replace(quoting, '');
  return !isComparedWithNul(start) && transient.some((pattern) => pattern.test(start));
}

/**
 * Whether the work exceeded what the engine, or one of its answers, may hold; another attempt would not help.
 */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory Error');
}

/**
 * After such an error an engine may stop answering, or answer wrongly: if it lost the catalog while asking
 * for a table's deletions, it continues without them. Its process is replaced.
 */
export function isBrokenEngine(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const start = error.message.slice(0, 2_000);
  return broken.test(start) || (isTransient(start) && lostCatalog.test(start));
}

/** The process ended during its work: the engine crashed, used too much memory, or was killed. */
export class EngineEndedError extends AppError {
  constructor() {
    super('storage_unavailable', 'The engine stopped before it finished this. Try again shortly.', {
      retryAfterSeconds: 1,
    });
  }
}

/**
 * Several engine processes in a row have ended while running this job; another attempt would crash the next
 * one.
 */
export class EngineCrashLoopError extends Error {
  override readonly name = 'EngineCrashLoopError';
}
