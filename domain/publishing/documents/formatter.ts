import { MessageChannel } from 'node:worker_threads';
import { AppError } from '../../../data/errors.ts';
import { fromSent } from '../../../data/lake/sent-error.ts';
import { createSharedThreads, ThreadLimit } from '../../../data/process-pool/shared-threads.ts';
import type {
  ExportFormat,
  MailBounds,
  MailPart,
  ReportMaterial,
  ReportReferences,
  ReportSource,
} from '../../../packages/documents/index.ts';
import type { FormatTask, Formatted, formatInThread, Wanted } from './format-task.ts';

type LoadMaterial = (references: ReportReferences) => Promise<ReportMaterial>;

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
    load: LoadMaterial,
    signal?: AbortSignal,
  ): Promise<Buffer>;
  /** A report as a part of a mail, within the bounds; like `format`. */
  mailPart(
    organizationId: string,
    source: ReportSource,
    bounds: MailBounds,
    load: LoadMaterial,
    signal?: AbortSignal,
  ): Promise<MailPart>;
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

  async function inThread(
    organizationId: string,
    wanted: Wanted,
    source: ReportSource,
    load: LoadMaterial,
    signal: AbortSignal | undefined,
  ): Promise<Formatted> {
    const { port1: ours, port2: theirs } = new MessageChannel();
    const ended = new AbortController();
    ours.on('message', (references: ReportReferences) => {
      load(references).then(
        (material) => ours.postMessage(material),
        (error: unknown) => ended.abort(error),
      );
    });
    try {
      const task: FormatTask = { wanted, source, material: theirs };
      const ends = signal === undefined ? ended.signal : AbortSignal.any([ended.signal, signal]);
      const answer = await threads
        .run(organizationId, task, { signal: ends, transferList: [theirs] })
        .catch(refuseEnded);
      if ('error' in answer) throw fromSent(answer.error);
      return answer;
    } finally {
      ours.close();
    }
  }

  return {
    async format(organizationId, format, source, load, signal) {
      const made = await inThread(organizationId, { format }, source, load, signal);
      const { buffer, byteOffset, byteLength } = (made as { document: Uint8Array }).document;
      return Buffer.from(buffer, byteOffset, byteLength);
    },
    async mailPart(organizationId, source, bounds, load, signal) {
      const made = await inThread(organizationId, { format: 'mail', bounds }, source, load, signal);
      return (made as { part: MailPart }).part;
    },
    close: () => threads.close(),
  };
}

function refused(what: string, cause: Error): AppError {
  return new AppError('invalid_request', `${what}. Split the report, or shorten its tables.`, { cause });
}
