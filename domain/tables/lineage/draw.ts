import { AppError } from '../../../data/errors.ts';
import { createDrawingThread } from '../../../data/process-pool/drawing-thread.ts';
import type { LineageGraph } from './graph.ts';
import type { drawInThread, PictureTask } from './picture-thread.ts';

/** Draws lineage in a thread, because the layout of what callers made takes as long as it takes. */
export interface LineageDrawer {
  /** @throws AppError unsupported_option where it has too many nodes, or takes too long */
  svg(organizationId: string, graph: Pick<LineageGraph, 'nodes' | 'edges'>, askedId: string): Promise<string>;
  close(): Promise<void>;
}

const maxDrawnNodes = 500;
const threadEntry: Extract<keyof typeof import('./picture-thread.ts'), 'drawInThread'> = 'drawInThread';

export function createLineageDrawer({ timeoutMs = 10_000 } = {}): LineageDrawer {
  const thread = createDrawingThread<PictureTask, ReturnType<typeof drawInThread>>({
    filename: new URL('./picture-thread.ts', import.meta.url).href,
    name: threadEntry,
    memoryMib: 256,
    timeoutMs,
    refused: (limit, cause) =>
      limit === 'time'
        ? refused(`The picture could not be drawn within ${timeoutMs / 1_000} seconds`, cause)
        : refused('The picture needs more memory than a drawing may take', cause),
  });
  return {
    async svg(organizationId, { nodes, edges }, askedId) {
      if (nodes.length > maxDrawnNodes)
        throw refused(`The picture would have ${nodes.length} boxes; ${maxDrawnNodes} is the most`);
      // The columns are not drawn, and would only be copied.
      const bare = edges.map(({ from, to }) => ({ from, to, columns: [] }));
      return thread.run(organizationId, { nodes, edges: bare, askedId });
    },
    close: () => thread.close(),
  };
}

function refused(what: string, cause?: Error): AppError {
  return new AppError('unsupported_option', `${what}: lower depth, or ask for json.`, { cause });
}
