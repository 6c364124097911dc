import { AppError } from '../../../data/errors.ts';
import { fromSent } from '../../../data/lake/sent-error.ts';
import { createSharedThreads, ThreadLimit } from '../../../data/process-pool/shared-threads.ts';
import type { ChartDocument } from '../../../packages/documents/index.ts';
import type { DrawAnswer, DrawTask } from './draw-task.ts';

/**
 * Draws charts in threads, so that other requests are not blocked; a drawing that takes too long is ended
 * together with its thread.
 */
export interface ChartDrawer {
  /** @throws AppError invalid_request where it cannot be drawn within its time, memory and size */
  svg(organizationId: string, document: ChartDocument, signal?: AbortSignal): Promise<string>;
  /** An image of the result of `svg`, at twice its size. */
  png(organizationId: string, svg: string, signal?: AbortSignal): Promise<Buffer>;
  close(): Promise<void>;
}

const threadEntry: Extract<keyof typeof import('./draw-task.ts'), 'drawInThread'> = 'drawInThread';

/** Of one organization, waiting or being drawn. */
const mostAsked = 32;

/** The libraries take a hundred megabytes per thread, and drawing a chart takes less than a second. */
export function createChartDrawer({ timeoutMs = 10_000 } = {}): ChartDrawer {
  const threads = createSharedThreads<DrawTask, DrawAnswer>({
    filename: new URL('./draw-task.ts', import.meta.url).href,
    name: threadEntry,
    memoryMib: 512,
    timeoutMs,
    perOrganization: mostAsked,
  });

  async function inThread(
    organizationId: string,
    task: DrawTask,
    signal: AbortSignal | undefined,
  ): Promise<string | Uint8Array> {
    const answer = await threads.run(organizationId, task, { signal }).catch((error: unknown) => {
      if (!(error instanceof ThreadLimit)) throw error;
      if (error.limit === 'memory')
        throw refused('The chart needs more memory than a drawing may use', error);
      throw refused(`The chart could not be drawn within ${timeoutMs / 1_000} seconds`, error);
    });
    if ('error' in answer) throw fromSent(answer.error);
    return answer.output;
  }

  return {
    svg: (organizationId, document, signal) =>
      inThread(organizationId, { name: 'svg', document }, signal) as Promise<string>,
    png: async (organizationId, svg, signal) => {
      const image = (await inThread(organizationId, { name: 'png', svg }, signal)) as Uint8Array;
      return Buffer.from(image.buffer, image.byteOffset, image.byteLength);
    },
    close: () => threads.close(),
  };
}

function refused(what: string, cause: Error): AppError {
  return new AppError('invalid_request', `${what}. Group or limit the rows first.`, { cause });
}
