import { AppError } from '../../../data/errors.ts';
import { fromSent } from '../../../data/lake/sent-error.ts';
import { createDrawingThread } from '../../../data/process-pool/drawing-thread.ts';
import type { ChartDocument } from './spec.ts';
import type { DrawAnswer, DrawTask } from './tasks.ts';

/**
 * Draws charts in a thread, so that other requests are not blocked; a drawing that takes too long is ended
 * together with its thread.
 */
export interface ChartDrawer {
  /** @throws AppError invalid_request where it cannot be drawn within its time, memory and size */
  svg(organizationId: string, document: ChartDocument): Promise<string>;
  /** An image of the result of `svg`, at twice its size. */
  png(organizationId: string, svg: string): Promise<Buffer>;
  close(): Promise<void>;
}

const threadEntry: Extract<keyof typeof import('./tasks.ts'), 'drawInThread'> = 'drawInThread';

/** The libraries take a hundred megabytes per thread, and drawing a chart takes less than a second. */
export function createChartDrawer({ timeoutMs = 10_000 } = {}): ChartDrawer {
  const thread = createDrawingThread<DrawTask, DrawAnswer>({
    filename: new URL('./tasks.ts', import.meta.url).href,
    name: threadEntry,
    memoryMib: 512,
    timeoutMs,
    refused: (limit, cause) =>
      limit === 'time'
        ? refused(`The chart could not be drawn within ${timeoutMs / 1_000} seconds`, cause)
        : refused('The chart needs more memory than a drawing may take', cause),
  });

  async function inThread(organizationId: string, task: DrawTask): Promise<string | Uint8Array> {
    const answer = await thread.run(organizationId, task);
    if ('error' in answer) throw fromSent(answer.error);
    return answer.output;
  }

  return {
    svg: (organizationId, document) => inThread(organizationId, { name: 'svg', document }) as Promise<string>,
    png: async (organizationId, svg) => {
      const image = (await inThread(organizationId, { name: 'png', svg })) as Uint8Array;
      return Buffer.from(image.buffer, image.byteOffset, image.byteLength);
    },
    close: () => thread.close(),
  };
}

function refused(what: string, cause: Error): AppError {
  return new AppError('invalid_request', `${what}: group or limit the rows first.`, { cause });
}
