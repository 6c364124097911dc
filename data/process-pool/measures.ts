import { counter, histogram } from '../telemetry/instruments.ts';
import { kindOfError } from '../telemetry/spans.ts';

/** How a pool is used at a moment. */
export interface PoolLoad {
  /** Processes that it keeps; for a short time there may be more. */
  limit: number;
  processes: number;
  busy: number;
  waiting: number;
}

const waits = histogram(
  'workspace.pool.wait.duration',
  's',
  'Time that a job waited for a process, by outcome: taken, refused or aborted.',
);
const refusals = counter('workspace.pool.refusals', '{job}', 'Jobs that a pool refused because it was full.');
const jobs = histogram(
  'workspace.pool.job.duration',
  's',
  'Time that a job took including its wait, by kind of job and outcome: ok, or an error code.',
);

export const countRefusal = (pool: string): void => refusals.add(1, { pool });

/** Measures how long `enter` takes. */
export async function measuredWait<T>(
  pool: string,
  signal: AbortSignal | undefined,
  enter: () => Promise<T>,
): Promise<T> {
  const startedMs = performance.now();
  const record = (outcome: string) =>
    waits.record((performance.now() - startedMs) / 1_000, { pool, outcome });
  try {
    const entered = await enter();
    record('taken');
    return entered;
  } catch (error) {
    if (signal?.aborted !== true) countRefusal(pool);
    record(signal?.aborted === true ? 'aborted' : 'refused');
    throw error;
  }
}

/** Measures a whole job. */
export async function measuredJob<T>(pool: string, job: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const record = (outcome: string) =>
    jobs.record((performance.now() - startedMs) / 1_000, { pool, job, outcome });
  try {
    const result = await work();
    record('ok');
    return result;
  } catch (error) {
    record(kindOfError(error));
    throw error;
  }
}
