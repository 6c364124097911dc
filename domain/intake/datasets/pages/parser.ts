import type { Piscina } from 'piscina';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { createFairSlots } from '../../../../data/process-pool/fair-slots.ts';
import { createThreads } from '../../../../data/process-pool/threads.ts';
import { type BrokenPage, type PageTask, type ParsedPage, parseInThread, parsePage } from './parse.ts';

/** Parses answers of sources, large ones in threads so that they do not block the process. */
export interface PageParser {
  /** @throws RemoteFailure if the answer is JSON, but does not match the policy */
  parse(organizationId: string, task: PageTask): Promise<ParsedPage | BrokenPage>;
  close(): Promise<void>;
}

const threadedFromBytes = 131_072;
const threadCount = 2;
const threadMemoryMib = 1_024;

/** Threads start with the first large answer and end when idle. */
export function createPageParser(): PageParser {
  const inTurn = createFairSlots(threadCount);
  let threads: Piscina<PageTask, ReturnType<typeof parseInThread>> | undefined;
  return {
    async parse(organizationId, task) {
      if (task.bytes.length < threadedFromBytes) return parsePage(task);
      threads ??= createThreads({
        filename: new URL('./parse.ts', import.meta.url).href,
        name: parseInThread.name,
        minThreads: 0,
        maxThreads: threadCount,
        idleTimeout: 10_000,
        resourceLimits: { maxOldGenerationSizeMb: threadMemoryMib },
      });
      const pool = threads;
      const answer = await inTurn(organizationId, () => pool.run(task)).catch((error: unknown) => {
        if (Reflect.get(error as object, 'code') !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
        throw new RemoteFailure(
          'request',
          "The source's answer is too large to be read: ask it for smaller pages.",
        );
      });
      if ('refused' in answer) throw new RemoteFailure('request', answer.refused);
      return answer;
    },
    close: async () => threads?.close(),
  };
}
