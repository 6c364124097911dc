import type { Piscina } from 'piscina';
import { AppError } from '../../../data/errors.ts';
import { createFairSlots } from '../../../data/process-pool/fair-slots.ts';
import { createThreads } from '../../../data/process-pool/threads.ts';
import type { LineageGraph } from './graph.ts';
import type { drawInThread, PictureTask } from './picture-thread.ts';

/** Draws lineage in a thread, because the layout of what callers made takes as long as it takes. */
export interface LineageDrawer {
  /** @throws AppError unsupported_option where it has too many nodes, or takes too long */
  svg(organizationId: string, graph: Pick<LineageGraph, 'nodes' | 'edges'>, askedId: string): Promise<string>;
  close(): Promise<void>;
}

export const maxDrawnNodes = 500;
const threadCount = 1;
const threadEntry: Extract<keyof typeof import('./picture-thread.ts'), 'drawInThread'> = 'drawInThread';

/** The thread starts when a picture is wanted and ends when idle. Organizations take turns. */
export function createLineageDrawer({ timeoutMs = 10_000 } = {}): LineageDrawer {
  const inTurn = createFairSlots(threadCount);
  let threads: Piscina<PictureTask, ReturnType<typeof drawInThread>> | undefined;

  return {
    async svg(organizationId, { nodes, edges }, askedId) {
      if (nodes.length > maxDrawnNodes)
        throw refused(`The picture would have ${nodes.length} boxes; ${maxDrawnNodes} is the most`);
      return inTurn(organizationId, () => {
        threads ??= createThreads({
          // Only the thread loads the library.
          filename: new URL('./picture-thread.ts', import.meta.url).href,
          name: threadEntry,
          minThreads: 0,
          maxThreads: threadCount,
          idleTimeout: 30_000,
          resourceLimits: { maxOldGenerationSizeMb: 256 },
        });
        // The columns are not drawn, and would only be copied.
        const task = { nodes, edges: edges.map(({ from, to }) => ({ from, to, columns: [] })), askedId };
        return threads.run(task, { signal: AbortSignal.timeout(timeoutMs) }).catch(refuseEnded);
      });
    },
    close: async () => threads?.close({ force: true }),
  };

  function refuseEnded(error: unknown): never {
    if (!(error instanceof Error)) throw error;
    if (error.name === 'AbortError')
      throw refused(`The picture could not be drawn within ${timeoutMs / 1_000} seconds`, error);
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw refused('The picture needs more memory than a drawing may take', error);
    throw error;
  }
}

function refused(what: string, cause?: Error): AppError {
  return new AppError('unsupported_option', `${what}: lower depth, or ask for json.`, { cause });
}
