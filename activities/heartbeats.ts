import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { EngineCrashLoopError, EngineEndedError } from '../data/lake/engine/failure.ts';

const everyMs = 1_000;

/** What an attempt passes to the next one, besides its own progress. */
interface Beat {
  engineDeaths?: number;
}

export interface HeartbeatOptions<Progress> {
  /** Maximum number of engine processes that may end during this job, over all its attempts. */
  maxEngineDeaths?: number;
  /** Called with each heartbeat. */
  onBeat?: (latest: Progress) => void;
}

/**
 * Heartbeats while `work` runs, so that a lost worker is detected, a cancel is delivered, and operators see
 * the progress. Counts the engine processes that ended during this job.
 *
 * @throws EngineCrashLoopError when `maxEngineDeaths` is reached
 */
export async function withHeartbeats<Progress extends object, T>(
  first: Progress,
  options: HeartbeatOptions<Progress>,
  work: (progress: (progress: Progress) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const before = context.info.heartbeatDetails as Beat | undefined;
  const engineDeaths = before?.engineDeaths ?? 0;
  let latest = first;
  const beat = (deaths: number) =>
    context.heartbeat(deaths === 0 ? latest : { ...latest, engineDeaths: deaths });
  const timer = setInterval(() => {
    beat(engineDeaths);
    options.onBeat?.(latest);
  }, everyMs);
  try {
    return await work((progress) => {
      latest = progress;
    }, context.cancellationSignal);
  } catch (error) {
    if (context.cancellationSignal.aborted) throw context.cancellationSignal.reason;
    if (!(error instanceof EngineEndedError)) throw error;
    if (engineDeaths + 1 >= (options.maxEngineDeaths ?? Number.POSITIVE_INFINITY))
      throw new EngineCrashLoopError('Engine processes ended while they ran this job, one after another.', {
        cause: error,
      });
    beat(engineDeaths + 1);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** A job is not retried after this many engine processes have ended during it. */
const maxEngineDeaths = 2;

/** Heartbeats whose progress is also stored in a row. A failed write is made up for by the next one. */
export function withProgress<Progress extends object, T>(
  logger: Pick<Logger, 'debug'>,
  first: Progress,
  keep: (latest: Progress) => Promise<unknown>,
  work: (progress: (progress: Progress) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const onBeat = (latest: Progress) => {
    keep(latest).catch((error: unknown) => logger.debug({ err: error }, 'progress could not be kept'));
  };
  return withHeartbeats(first, { maxEngineDeaths, onBeat }, work);
}

/** With the waits between them, these take more than an hour. */
const maxCommitAttempts = 80;

/**
 * A commit, with heartbeats. After its last attempt it is given up, unless the lake has it: each attempt may
 * have succeeded without a word, so `giveUp` asks the lake first. What the lake has is then recorded.
 */
export function committing<Input, Output>(
  commit: (input: Input) => Promise<Output>,
  giveUp: (input: Input) => Promise<unknown>,
): (input: Input) => Promise<Output> {
  return beating(async (input) => {
    if (Context.current().info.attempt > maxCommitAttempts) await giveUp(input);
    return commit(input);
  });
}

/** Adds heartbeats without progress to an activity, so that a killed worker is detected. */
export function beating<Input, Output>(
  activity: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return (input) => withHeartbeats({}, {}, () => activity(input));
}
