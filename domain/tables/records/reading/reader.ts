import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { unpackRawNumbers } from '../../../../data/exact-json.ts';
import { fromSent } from '../../../../data/lake/sent-error.ts';
import { createFairSlots } from '../../../../data/process-pool/fair-slots.ts';
import { createThreads } from '../../../../data/process-pool/threads.ts';
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
const threadCount = Math.max(2, Math.min(4, availableParallelism() - 1));

/**
 * Threads start when large bodies arrive and end when idle. One that dies is replaced and only loses its own
 * body. If no thread can be started, the process ends with Piscina's error.
 */
export function createBodyReader(): BodyReader {
  const inTurn = createFairSlots(threadCount);
  let threads: Piscina<Task, ReturnType<typeof doTaskInThread>> | undefined;

  async function inThread(task: Task): Promise<unknown> {
    threads ??= createThreads({
      filename: new URL('./tasks.ts', import.meta.url).href,
      name: doTaskInThread.name,
      minThreads: 0,
      maxThreads: threadCount,
      // Ending an idle thread releases the memory it took for a large body.
      idleTimeout: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: 1_024 },
    });
    const answer: TaskAnswer = await threads.run(task);
    if ('error' in answer) throw fromSent(answer.error);
    if (answer.hasRawNumbers) unpackRawNumbers(answer.output as object);
    return answer.output;
  }

  return {
    read: async (organizationId, name, input) => {
      const task = { name, ...input } as unknown as Task;
      if (!isLarge(input.body)) return doTask(task) as never;
      return inTurn(organizationId, () => inThread(task)) as never;
    },
    close: async () => threads?.close(),
  };
}

/** Already parsed records are at most one page, in a process that serves no requests. */
function isLarge(body: Task['body']): boolean {
  return 'bytes' in body && body.bytes.length >= threadedFromBytes;
}
