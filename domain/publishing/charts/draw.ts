import type { Piscina } from 'piscina';
import { AppError } from '../../../data/errors.ts';
import { fromSent } from '../../../data/lake/sent-error.ts';
import { createFairSlots } from '../../../data/process-pool/fair-slots.ts';
import { createThreads } from '../../../data/process-pool/threads.ts';
import type { ChartDocument } from './spec.ts';
import type { DrawAnswer, DrawTask, drawInThread } from './tasks.ts';

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

/** The libraries take a hundred megabytes per thread, and drawing a chart takes less than a second. */
const threadCount = 1;
const threadEntry: Extract<keyof typeof import('./tasks.ts'), 'drawInThread'> = 'drawInThread';

/** The thread starts when a chart is requested and ends when idle. Organizations take turns. */
export function createChartDrawer({ timeoutMs = 10_000 } = {}): ChartDrawer {
  const inTurn = createFairSlots(threadCount);
  let threads: Piscina<DrawTask, ReturnType<typeof drawInThread>> | undefined;

  async function inThread(task: DrawTask): Promise<string | Uint8Array> {
    threads ??= createThreads({
      // Only the thread loads the libraries.
      filename: new URL('./tasks.ts', import.meta.url).href,
      name: threadEntry,
      minThreads: 0,
      maxThreads: threadCount,
      idleTimeout: 30_000,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const answer = await threads.run(task, { signal: AbortSignal.timeout(timeoutMs) }).catch(refuseEnded);
    if ('error' in answer) throw fromSent(answer.error);
    return answer.output;
  }

  function refuseEnded(error: unknown): DrawAnswer {
    if (!(error instanceof Error)) throw error;
    if (error.name === 'AbortError')
      throw refused(`The chart could not be drawn within ${timeoutMs / 1_000} seconds`, error);
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw refused('The chart needs more memory than a drawing may take', error);
    throw error;
  }

  return {
    svg: (organizationId, document) =>
      inTurn(organizationId, () => inThread({ name: 'svg', document })) as Promise<string>,
    png: async (organizationId, svg) => {
      const image = (await inTurn(organizationId, () => inThread({ name: 'png', svg }))) as Uint8Array;
      return Buffer.from(image.buffer, image.byteOffset, image.byteLength);
    },
    close: async () => threads?.close({ force: true }),
  };
}

function refused(what: string, cause: Error): AppError {
  return new AppError('invalid_request', `${what}: group or limit the rows first.`, { cause });
}
