import { MessageChannel } from 'node:worker_threads';
import { AppError } from '../../../data/errors.ts';
import { fromSent } from '../../../data/lake/sent-error.ts';
import { createSharedThreads, ThreadLimit } from '../../../data/process-pool/shared-threads.ts';
import type {
  ExportFormat,
  ReportMaterial,
  ReportReferences,
  ReportSource,
} from '../../../packages/documents/index.ts';
import type { FormatTask, formatInThread } from './format-task.ts';

/**
 * Creates documents from reports in threads, so that other requests are not blocked; one that takes too long
 * is ended together with its thread.
 */
export interface ReportFormatter {
  /**
   * `load` returns the resources the report refers to; its errors are rethrown. Work that is aborted ends.
   * @throws AppError invalid_request where no document can be made within its time, memory and bounds;
   *   queries_saturated where too many of the organization are waiting
   */
  format(
    organizationId: string,
    format: ExportFormat,
    source: ReportSource,
    load: (references: ReportReferences) => Promise<ReportMaterial>,
    signal?: AbortSignal,
  ): Promise<Buffer>;
  close(): Promise<void>;
}

/** Limit per organization, because a waiting request holds a connection and the report's text. */
const askedAtOnce = 16;
/**
 * Layout objects live for about a second: with room for them in the young generation, a third of the time is
 * saved.
 */
const youngMib = 64;
const threadEntry: Extract<keyof typeof import('./format-task.ts'), 'formatInThread'> = 'formatInThread';

export function createReportFormatter({ timeoutMs = 30_000, memoryMib = 512 } = {}): ReportFormatter {
  const threads = createSharedThreads<FormatTask, Awaited<ReturnType<typeof formatInThread>>>({
    // Only the threads load the libraries and fonts.
    filename: new URL('./format-task.ts', import.meta.url).href,
    name: threadEntry,
    memoryMib,
    youngMib,
    timeoutMs,
    perOrganization: askedAtOnce,
  });

  function refuseEnded(error: unknown): never {
    if (!(error instanceof ThreadLimit)) throw error;
    if (error.limit === 'memory')
      throw refused(`The document needs more than ${memoryMib} MiB of memory, which is the limit`, error);
    throw refused(`The document could not be created within ${timeoutMs / 1_000} seconds`, error);
  }

  return {
    async format(organizationId, format, source, load, signal) {
      const { port1: ours, port2: theirs } = new MessageChannel();
      const ended = new AbortController();
      ours.on('message', (references: ReportReferences) => {
        load(references).then(
          (material) => ours.postMessage(material),
          (error: unknown) => ended.abort(error),
        );
      });
      try {
        const task: FormatTask = { format, source, material: theirs };
        const ends = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);
        const answer = await threads
          .run(organizationId, task, { signal: ends, transferList: [theirs] })
          .catch(refuseEnded);
        if ('error' in answer) throw fromSent(answer.error);
        const { buffer, byteOffset, byteLength } = answer.document;
        return Buffer.from(buffer, byteOffset, byteLength);
      } finally {
        ours.close();
      }
    },
    close: () => threads.close(),
  };
}

function refused(what: string, cause: Error): AppError {
  return new AppError('invalid_request', `${what}. Split the report, or shorten its tables.`, { cause });
}
