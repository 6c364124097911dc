import type { Piscina } from 'piscina';
import { createFairSlots } from './fair-slots.ts';
import { createThreads } from './threads.ts';

export interface DrawingThreadOptions {
  /** URL of the module that the thread loads: only the thread loads its libraries. */
  filename: string;
  /** Its exported function. */
  name: string;
  memoryMib: number;
  timeoutMs: number;
  /** The error of a drawing that needs more than it may take. */
  refused: (limit: 'time' | 'memory', cause: Error) => Error;
}

export interface DrawingThread<Task, Answer> {
  run(organizationId: string, task: Task): Promise<Answer>;
  close(): Promise<void>;
}

const threadCount = 1;

/**
 * A thread that draws what callers made, so that other requests are not blocked. It starts when wanted and
 * ends when idle; a drawing that takes too long is ended together with it. Organizations take turns.
 */
export function createDrawingThread<Task, Answer>(
  options: DrawingThreadOptions,
): DrawingThread<Task, Answer> {
  const { filename, name, memoryMib, timeoutMs, refused } = options;
  const inTurn = createFairSlots(threadCount);
  let threads: Piscina<Task, Answer> | undefined;

  function refuseEnded(error: unknown): never {
    if (!(error instanceof Error)) throw error;
    if (error.name === 'AbortError') throw refused('time', error);
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') throw refused('memory', error);
    throw error;
  }

  return {
    run: (organizationId, task) =>
      inTurn(organizationId, () => {
        threads ??= createThreads({
          filename,
          name,
          minThreads: 0,
          maxThreads: threadCount,
          idleTimeout: 30_000,
          resourceLimits: { maxOldGenerationSizeMb: memoryMib },
        });
        return threads.run(task, { signal: AbortSignal.timeout(timeoutMs) }).catch(refuseEnded);
      }),
    close: async () => threads?.close({ force: true }),
  };
}
