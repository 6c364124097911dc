import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { createSharedThreads, ThreadLimit } from '../../../../data/process-pool/shared-threads.ts';
import { type BrokenPage, type PageTask, type ParsedPage, parseInThread, parsePage } from './parse.ts';

/** Parses answers of sources, large ones in threads so that they do not block the process. */
export interface PageParser {
  /** @throws RemoteFailure if the answer is JSON, but does not match the policy */
  parse(organizationId: string, task: PageTask): Promise<ParsedPage | BrokenPage>;
  close(): Promise<void>;
}

const threadedFromBytes = 131_072;

/** Threads start with the first large answer and end when idle. */
export function createPageParser(): PageParser {
  const threads = createSharedThreads<PageTask, Awaited<ReturnType<typeof parseInThread>>>({
    filename: new URL('./parse.ts', import.meta.url).href,
    name: parseInThread.name,
    idleMs: 10_000,
  });
  return {
    async parse(organizationId, task) {
      if (task.bytes.length < threadedFromBytes) return parsePage(task);
      const answer = await threads.run(organizationId, task).catch((error: unknown) => {
        if (!(error instanceof ThreadLimit)) throw error;
        throw new RemoteFailure(
          'request',
          "The source's answer is too large to read. Request smaller pages from the source.",
        );
      });
      if ('refused' in answer) throw new RemoteFailure('request', answer.refused);
      return answer;
    },
    close: () => threads.close(),
  };
}
