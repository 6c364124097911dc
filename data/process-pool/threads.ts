import { Piscina } from 'piscina';

/**
 * A pool of threads. If a thread runs out of memory after its task has ended or was abandoned, no task gets
 * the error, and the next task gets a new thread. Any other error that belongs to no task means that threads
 * cannot be started, and ends this process.
 */
export function createThreads<Task, Answer>(
  options: ConstructorParameters<typeof Piscina>[0],
): Piscina<Task, Answer> {
  const threads = new Piscina<Task, Answer>(options);
  threads.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
  });
  return threads;
}
