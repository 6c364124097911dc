import { AppError } from '../../errors.ts';

/** How an error begins that quotes another one, whose own words follow. */
const quoting = /^Invalid Input Error: Attempting to \w+ [\w ]+\nError: /;

/** Read from the front: what follows may quote a user's values. */
const transient = [
  /^(IO|HTTP|Connection|FATAL|INTERNAL|TransactionContext) Error/,
  /^Invalid Error: Failed to /,
  /^[\w ]+ Error: Failed to [a-z ]*DuckLake/,
  // What the catalog's client could not do; an error of what it was asked comes with a commit.
  /^[\w ]+ Error: Failed to (?:prepare|execute|describe|fetch) /,
];

/** What a lost connection to the catalog is told as, in an error that is transient. */
const lostCatalog =
  /Failed to (?:prepare|describe|fetch|execute|get|read)|server closed the connection|terminating connection|connection to server|no connection|could not (?:receive|send)/;

const broken =
  /^(Invalid Input Error: Attempting to \w+ [\w ]+\nError: |[\w ]+ Error: Failed to [\w ]+: )?(INTERNAL|FATAL) Error/;

/**
 * Whether a statement failed on its way to the catalog, the object store or within the engine itself, so that
 * it may succeed later as it stands.
 */
export function isTransientFailure(error: unknown): boolean {
  if (error instanceof EngineEndedError) return true;
  if (!(error instanceof Error)) return false;
  return isTransient(error.message);
}

function isTransient(message: string): boolean {
  // No pattern needs more of a message than its start.
  const start = message.slice(0, 400).replace(quoting, '');
  return transient.some((pattern) => pattern.test(start));
}

/** Whether the work came to more than the engine, or an answer of it, may hold: no other try does better. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory Error');
}

/**
 * After one of these an engine may answer nothing any more, or what is not so: where it lost the catalog
 * while it asked for a table's deletions, it goes on without them. Its process is replaced.
 */
export function isBrokenEngine(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const start = error.message.slice(0, 2_000);
  return broken.test(start) || (isTransient(start) && lostCatalog.test(start));
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
