import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { EngineEndedError } from '../data/lake/engine/failure.ts';

const everyMs = 1_000;

/** A job at whose work one engine process after the other ended: another try would only end the next. */
export class EngineCrashLoopError extends Error {
  override readonly name = 'EngineCrashLoopError';
}

/** What a try tells the next one, beside its own progress. */
interface Beat {
  engineDeaths?: number;
}

export interface HeartbeatOptions<Progress> {
  /** So many engine processes may end at this job, over all its tries, before it is given up. */
  maxEngineDeaths?: number;
  /** Called with each heartbeat. */
  onBeat?: (latest: Progress) => void;
}

/**
 * Heartbeats while `work` runs, so that a lost worker is noticed, a cancel arrives, and an operator reads the
 * progress; and counts the engine processes that ended at this job.
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
      throw new EngineCrashLoopError('Engine processes ended at this job, one after the other.', {
        cause: error,
      });
    beat(engineDeaths + 1);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** A job at which this many engine processes ended is not tried again. */
const maxEngineDeaths = 2;

/** Heartbeats whose progress is also kept in a row. What cannot be kept comes again with the next. */
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

/**
 * An activity that tells nothing but that it goes on: a worker that was killed with it is noticed by that.
 */
export function beating<Input, Output>(
  activity: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return (input) => withHeartbeats({}, {}, () => activity(input));
}
