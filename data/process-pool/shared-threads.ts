import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { AppError } from '../errors.ts';
import { createFairSlots } from './fair-slots.ts';

/** Threads that organizations share, for work that would block the requests of this process. */
export interface SharedThreads<Task, Answer> {
  /**
   * Runs when it is the organization's turn. When the signal aborts, waiting work is dropped, and work under
   * way ends together with its thread; either rejects with the signal's reason.
   *
   * @throws ThreadLimit where it needs more time or memory than it may take, AppError queries_saturated where
   *   too many tasks of the organization wait
   */
  run(organizationId: string, task: Task, options?: RunOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface RunOptions {
  signal?: AbortSignal | undefined;
  transferList?: readonly Transferable[];
}

type Transferable = NonNullable<Parameters<Piscina['run']>[1]>['transferList'] extends
  | readonly (infer Each)[]
  | undefined
  ? Each
  : never;

/** A task took more than one task may: it was ended with its thread, and the next task gets a new one. */
export class ThreadLimit extends Error {
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory', cause: unknown) {
    super(`The task needs more ${limit} than it can have.`, { cause });
    this.limit = limit;
  }
}

export interface SharedThreadsOptions {
  /** URL of the module that the threads load: only they load its libraries. */
  filename: string;
  /** Its exported function. */
  name: string;
  /** Of one thread. Default: 1 GiB. */
  memoryMib?: number;
  /** The part of the memory for short-lived objects. */
  youngMib?: number;
  /** Of one task, from its turn on. Default: none. */
  timeoutMs?: number;
  /** After which an idle thread ends, which releases what it took. */
  idleMs?: number;
  /** The most tasks of one organization, waiting or under way. Default: any number. */
  perOrganization?: number;
}

/** Two at least, so that one organization never holds all of them. */
export const sharedThreadCount = Math.max(2, Math.min(4, availableParallelism() - 1));

/**
 * Threads start when wanted and end when idle. Organizations take turns, and each may use all threads but
 * one. If a thread cannot be started at all, this process ends with the error.
 */
export function createSharedThreads<Task, Answer>({
  filename,
  name,
  memoryMib = 1_024,
  youngMib,
  timeoutMs,
  idleMs = 30_000,
  perOrganization = Number.POSITIVE_INFINITY,
}: SharedThreadsOptions): SharedThreads<Task, Answer> {
  const inTurn = createFairSlots(sharedThreadCount, { perOwner: sharedThreadCount - 1 });
  const asked = new Map<string, number>();
  let threads: Piscina<Task, Answer> | undefined;

  function start(): Piscina<Task, Answer> {
    const started = new Piscina<Task, Answer>({
      filename,
      name,
      minThreads: 0,
      maxThreads: sharedThreadCount,
      idleTimeout: idleMs,
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMib - (youngMib ?? 0),
        ...(youngMib === undefined ? {} : { maxYoungGenerationSizeMb: youngMib }),
      },
    });
    forgiveLateGrowth(started);
    return started;
  }

  async function inThread(task: Task, { signal, transferList = [] }: RunOptions): Promise<Answer> {
    threads ??= start();
    const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const ends = [signal, late].filter((each) => each !== undefined);
    const until = ends.length === 0 ? {} : { signal: AbortSignal.any(ends) };
    try {
      return await threads.run(task, { ...until, transferList: [...transferList] });
    } catch (error) {
      signal?.throwIfAborted();
      if (late?.aborted === true) throw new ThreadLimit('time', error);
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new ThreadLimit('memory', error);
      throw error;
    }
  }

  return {
    async run(organizationId, task, options = {}) {
      const own = asked.get(organizationId) ?? 0;
      if (own >= perOrganization)
        throw new AppError(
          'queries_saturated',
          `${own} tasks of this kind are already waiting for your organization. Try again when one of them is done.`,
          { retryAfterSeconds: 2 },
        );
      asked.set(organizationId, own + 1);
      try {
        return await inTurn(organizationId, () => inThread(task, options), options.signal);
      } finally {
        const left = asked.get(organizationId)! - 1;
        if (left === 0) asked.delete(organizationId);
        else asked.set(organizationId, left);
      }
    },
    close: async () => threads?.close({ force: true }),
  };
}

/**
 * If a thread runs out of memory after its task has ended or was abandoned, no task gets the error, and the
 * next task gets a new thread. Any other error that belongs to no task means that threads cannot be started.
 */
export function forgiveLateGrowth(threads: Pick<Piscina, 'on'>): void {
  threads.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
  });
}
