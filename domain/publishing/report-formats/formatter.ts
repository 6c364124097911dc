import { MessageChannel } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { AppError } from '../../../data/errors.ts';
import { fromSent } from '../../../data/lake/sent-error.ts';
import { createFairSlots } from '../../../data/process-pool/fair-slots.ts';
import { createThreads } from '../../../data/process-pool/threads.ts';
import type { ExportFormat, ReportMaterial, ReportReferences, ReportSource } from './contract.ts';
import type { FormatAnswer, FormatTask, formatInThread } from './tasks.ts';

/**
 * Creates documents from reports in a thread, so that other requests are not blocked; one that takes too long
 * is ended together with its thread.
 */
export interface ReportFormatter {
  /**
   * `load` returns the resources the report refers to; its errors are rethrown.
   * @throws AppError invalid_request where no document can be made within its time, memory and bounds;
   *   queries_saturated where too many of the organization are waiting
   */
  format(
    organizationId: string,
    format: ExportFormat,
    source: ReportSource,
    load: (references: ReportReferences) => Promise<ReportMaterial>,
  ): Promise<Buffer>;
  close(): Promise<void>;
}

const threadCount = 1;
/** Limit per organization, because a waiting request holds a connection and the report's text. */
const askedAtOnce = 16;
/**
 * Layout objects live for about a second: with room for them in the young generation, a third of the time is
 * saved.
 */
const youngMib = 64;
const threadEntry: Extract<keyof typeof import('./tasks.ts'), 'formatInThread'> = 'formatInThread';

/** The thread starts when a document is requested and ends when idle. Organizations take turns. */
export function createReportFormatter({ timeoutMs = 30_000, memoryMib = 512 } = {}): ReportFormatter {
  const inTurn = createFairSlots(threadCount);
  let threads: Piscina<FormatTask, ReturnType<typeof formatInThread>> | undefined;

  async function inThread(
    format: ExportFormat,
    source: ReportSource,
    load: (references: ReportReferences) => Promise<ReportMaterial>,
  ): Promise<Buffer> {
    threads ??= createThreads({
      // Only the thread loads the libraries and fonts.
      filename: new URL('./tasks.ts', import.meta.url).href,
      name: threadEntry,
      minThreads: 0,
      maxThreads: threadCount,
      idleTimeout: 30_000,
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMib - youngMib,
        maxYoungGenerationSizeMb: youngMib,
      },
    });
    const { port1: ours, port2: theirs } = new MessageChannel();
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs)]);
    let failure: unknown;
    ours.on('message', (references: ReportReferences) => {
      load(references).then(
        (material) => ours.postMessage(material),
        (error: unknown) => {
          failure = error;
          ended.abort();
        },
      );
    });
    try {
      const task: FormatTask = { format, source, material: theirs };
      const answer = await threads
        .run(task, { signal, transferList: [theirs] })
        .catch((error: unknown) => refuseEnded(failure ?? error));
      if ('error' in answer) throw fromSent(answer.error);
      const { buffer, byteOffset, byteLength } = answer.document;
      return Buffer.from(buffer, byteOffset, byteLength);
    } finally {
      ours.close();
    }
  }

  /** Pending documents, by organization. */
  const asked = new Map<string, number>();

  async function bounded<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const own = asked.get(organizationId) ?? 0;
    if (own >= askedAtOnce)
      throw new AppError(
        'queries_saturated',
        `${own} documents of this organization are being made; ask again when one of them is done.`,
        { retryAfterSeconds: 2 },
      );
    asked.set(organizationId, own + 1);
    try {
      return await work();
    } finally {
      const left = asked.get(organizationId)! - 1;
      if (left === 0) asked.delete(organizationId);
      else asked.set(organizationId, left);
    }
  }

  function refuseEnded(error: unknown): FormatAnswer {
    if (!(error instanceof Error)) throw error;
    if (error.name === 'AbortError')
      throw refused(
        `The report could not be made into a document within ${timeoutMs / 1_000} seconds`,
        error,
      );
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw refused(`The document needs more than the ${memoryMib} MiB of memory that it may take`, error);
    throw error;
  }

  return {
    format: (organizationId, format, source, load) =>
      bounded(organizationId, () => inTurn(organizationId, () => inThread(format, source, load))),
    close: async () => threads?.close({ force: true }),
  };
}

function refused(what: string, cause: Error): AppError {
  return new AppError('invalid_request', `${what}: split the report, or shorten its tables.`, { cause });
}
