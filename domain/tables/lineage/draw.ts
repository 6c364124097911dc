import { AppError } from '../../../data/errors.ts';
import { createSharedThreads, ThreadLimit } from '../../../data/process-pool/shared-threads.ts';
import type { LineageGraph } from './graph.ts';
import type { drawInThread, PictureTask } from './picture-thread.ts';

/** Draws lineage in threads, because the layout of what callers made takes as long as it takes. */
export interface LineageDrawer {
  /** @throws AppError unsupported_option where it has too many nodes, or takes too long */
  svg(
    organizationId: string,
    graph: Pick<LineageGraph, 'nodes' | 'edges'>,
    askedId: string,
    signal?: AbortSignal,
  ): Promise<string>;
  close(): Promise<void>;
}

const maxDrawnNodes = 500;
/** The time of a layout grows faster than its arrows: a thousand take up to five seconds. */
const maxDrawnEdges = 1_000;
/** Of one organization, waiting or being drawn. */
const mostAsked = 16;
const threadEntry: Extract<keyof typeof import('./picture-thread.ts'), 'drawInThread'> = 'drawInThread';

export function createLineageDrawer({ timeoutMs = 10_000 } = {}): LineageDrawer {
  const threads = createSharedThreads<PictureTask, ReturnType<typeof drawInThread>>({
    filename: new URL('./picture-thread.ts', import.meta.url).href,
    name: threadEntry,
    memoryMib: 256,
    timeoutMs,
    perOrganization: mostAsked,
  });
  return {
    async svg(organizationId, { nodes, edges }, askedId, signal) {
      if (nodes.length > maxDrawnNodes)
        throw refused(`The picture would have ${nodes.length} boxes; the limit is ${maxDrawnNodes}`);
      if (edges.length > maxDrawnEdges)
        throw refused(`The picture would have ${edges.length} arrows; the limit is ${maxDrawnEdges}`);
      // The columns are not drawn, and would only be copied.
      const bare = edges.map(({ from, to }) => ({ from, to, columns: [] }));
      return threads
        .run(organizationId, { nodes, edges: bare, askedId }, { signal })
        .catch((error: unknown) => {
          if (!(error instanceof ThreadLimit)) throw error;
          if (error.limit === 'memory')
            throw refused('The picture needs more memory than a drawing may use', error);
          throw refused(`The picture could not be drawn within ${timeoutMs / 1_000} seconds`, error);
        });
    },
    close: () => threads.close(),
  };
}

function refused(what: string, cause?: Error): AppError {
  return new AppError('unsupported_option', `${what}. Lower depth, or request json.`, { cause });
}
