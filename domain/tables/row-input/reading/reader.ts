import { unpackRawNumbers } from '../../../../data/exact-json.ts';
import { fromSent } from '../../../../data/lake/sent-error.ts';
import { createSharedThreads } from '../../../../data/process-pool/shared-threads.ts';
import { doTask, doTaskInThread, type Task, type TaskAnswer, type Tasks } from './tasks.ts';

/** Reads request bodies, larger ones in threads so that they do not block other requests. */
export interface BodyReader {
  read<Name extends keyof Tasks>(
    organizationId: string,
    name: Name,
    input: Tasks[Name]['input'],
  ): Promise<Tasks[Name]['output']>;
  close(): Promise<void>;
}

/** A smaller body is read faster than it could be handed to a thread. */
export const threadedFromBytes = 131_072;

/**
 * Threads start when large bodies arrive and end when idle. One that dies is replaced and only loses its own
 * body. If no thread can be started, the process ends with the error.
 */
export function createBodyReader(): BodyReader {
  const threads = createSharedThreads<Task, Awaited<ReturnType<typeof doTaskInThread>>>({
    filename: new URL('./tasks.ts', import.meta.url).href,
    name: doTaskInThread.name,
    // Ending an idle thread releases the memory it took for a large body.
    idleMs: 10_000,
  });

  async function inThread(organizationId: string, task: Task): Promise<unknown> {
    const answer: TaskAnswer = await threads.run(organizationId, task);
    if ('error' in answer) throw fromSent(answer.error);
    if (answer.hasRawNumbers) unpackRawNumbers(answer.output as object);
    return answer.output;
  }

  return {
    read: async (organizationId, name, input) => {
      const task = { name, ...input } as unknown as Task;
      if (!isLarge(input.body)) return doTask(task) as never;
      return inThread(organizationId, task) as never;
    },
    close: () => threads.close(),
  };
}

/** Already parsed records are at most one page, in a process that serves no requests. */
function isLarge(body: Task['body']): boolean {
  return 'bytes' in body && body.bytes.length >= threadedFromBytes;
}
