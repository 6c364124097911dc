import { Piscina } from 'piscina';

/**
 * A pool of threads. One that runs out of memory when its task has ended, or was given up, has nobody to
 * tell: the next task gets another. Any other error that no task is told of means that no thread can be
 * started, and ends this process.
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
