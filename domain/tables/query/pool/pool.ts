import { join } from 'node:path';
import { withoutValues } from '../../../../data/error-log.ts';
import { AppError } from '../../../../data/errors.ts';
import type { ObjectStoreSettings } from '../../../../data/objects/settings.ts';
import type { WaitingRules } from '../../../../data/process-pool/admission.ts';
import { removeLeftovers } from '../../../../data/process-pool/leftovers.ts';
import { countRefusal, type PoolLoad } from '../../../../data/process-pool/measures.ts';
import { createQueue, type Queue } from '../../../../data/process-pool/queue.ts';
import { createSlots, type Slot } from '../../../../data/process-pool/slots.ts';
import type { AnswerOf, ProcessStatement, ProcessTask, StatementOutcome } from '../process/messages.ts';
import type { QueryAnswer, QueryRequest } from '../request.ts';
import type { OnPiece } from '../stream/contract.ts';
import { createDelivery } from './delivery.ts';
import { measured } from './measured.ts';
import { type QueryProcess, QueryProcessEnded, queryFolderKind, startQueryProcess } from './query-process.ts';

export type { QueryAnswer, QueryRelation, QueryRequest } from '../request.ts';

/** The part of a logger that the pool needs; pino fits. */
export interface QueryLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface QueryPoolOptions {
  /** Of the pool, in metrics and traces; `query` if left out. */
  name?: string;
  /** Folder of `<name>.duckdb_extension` files; undefined installs them from the engine's own repository. */
  extensionDir: string | undefined;
  objectStore: ObjectStoreSettings;
  /** Folder for spill files and installed extensions. */
  workDir: string;
  /**
   * Number of processes kept; temporarily up to twice as many, so that every organization gets its guaranteed
   * two.
   */
  processes: number;
  /** Whether one of them starts before any statement comes; true if left out. */
  startsEarly?: boolean | undefined;
  threadsPerProcess: number;
  memoryLimitBytes: number;
  tempLimitBytes: number;
  maxAnswerBytes: number;
  logger?: QueryLogger;
}

export interface QueryPool {
  /**
   * Looks whether the organization may send one more statement, before anything is looked up for it: what is
   * refused in masses must cost little.
   *
   * @throws AppError `queries_saturated`
   */
  admit(organizationId: string): void;
  /**
   * If the process dies, the statement is retried once in another one, within its time limit.
   *
   * @throws AppError with one of the query codes of the contract
   */
  run(request: QueryRequest): Promise<QueryAnswer>;
  /** The same for a task of another kind. */
  perform<Task extends ProcessTask>(task: Task, limits: TaskLimits): Promise<AnswerOf<Task>>;
  close(): Promise<void>;
  processIds(): number[];
  load(): PoolLoad;
  /** Whether its processes can start with all they need. */
  isAble(): boolean;
}

export interface TaskLimits {
  timeoutMs: number;
  /** Longest wait for a process; as long as the task may take if omitted. */
  waitMs?: number;
  /** Aborted when nobody waits for the answer. */
  signal?: AbortSignal | undefined;
  /** Where a task is aborted or its time is up, rejects only when its process writes no more: in a second. */
  untilSettled?: boolean;
  /** Takes what a task streams. Once it was called, the task is not retried in another process. */
  onPiece?: OnPiece;
}

/**
 * An organization's burst is queued, not refused; the wait is short, since a client can retry but a queue
 * cannot shrink.
 */
const waiting: WaitingRules = { perOrganization: 32, whileRoom: 96, inAll: 256, shareWaitMs: 1_000 };

/** Runs users' statements in separate processes, so that they cannot affect this one. */
export function createQueryPool(options: QueryPoolOptions): QueryPool {
  const { name = 'query' } = options;
  const settings = {
    extensionDir: options.extensionDir,
    installDir: join(options.workDir, 'extensions'),
    objectStore: options.objectStore,
    threads: options.threadsPerProcess,
    memoryLimitBytes: options.memoryLimitBytes,
    tempLimitBytes: options.tempLimitBytes,
    maxAnswerBytes: options.maxAnswerBytes,
  };
  const onStderr = (text: string) => options.logger?.warn({ text: text.slice(0, 2000) }, 'query process');
  const slots = createSlots({
    processes: options.processes,
    startsEarly: options.startsEarly,
    start: () => startQueryProcess(settings, options.workDir, onStderr),
    onChange: () => queue.serve(),
  });
  const queue: Queue<QueryProcess> = createQueue({
    name,
    processes: options.processes,
    slots,
    waiting,
    refusal: saturated,
  });
  let isClosed = false;
  void removeLeftovers(options.workDir, queryFolderKind);

  async function performOnce<Task extends ProcessTask>(
    task: Task,
    limits: TaskLimits,
  ): Promise<AnswerOf<Task>> {
    if (isClosed)
      throw new AppError('queries_saturated', 'The service is shutting down and runs no more queries.');
    const { timeoutMs, waitMs = timeoutMs, signal } = limits;
    const slot = await queue.enter(task.location.organizationId, Math.min(waitMs, timeoutMs), signal);
    try {
      return await performIn(slot, task, limits, options.logger, queue);
    } catch (error) {
      if (error instanceof AppError || error instanceof QueryProcessEnded) throw error;
      throw new AppError('internal_error', "The query couldn't be run.", { cause: error });
    }
  }

  async function performTwice<Task extends ProcessTask>(
    task: Task,
    given: TaskLimits,
  ): Promise<AnswerOf<Task>> {
    const startedAtMs = performance.now();
    const { limits, hasBegun } = watched(given);
    try {
      return await performOnce(task, limits);
    } catch (error) {
      if (!(error instanceof QueryProcessEnded)) throw error;
      options.logger?.warn({ organizationId: task.location.organizationId }, error.message);
    }
    if (hasBegun()) throw cutShort();
    const leftMs = Math.ceil(limits.timeoutMs - (performance.now() - startedAtMs));
    if (leftMs <= 0) throw timedOut(limits.timeoutMs);
    try {
      return await performOnce(task, { ...limits, timeoutMs: leftMs });
    } catch (error) {
      if (!(error instanceof QueryProcessEnded)) throw error;
      throw hasBegun() ? cutShort() : endedTwice();
    }
  }

  const perform: QueryPool['perform'] = (task, limits) =>
    measured(name, task, () => performTwice(task, limits));

  return {
    admit: (organizationId) => {
      if (queue.admits(organizationId)) return;
      countRefusal(name);
      throw saturated();
    },
    perform,
    run: (request) => perform(statementOf(request), request),
    close: async () => {
      isClosed = true;
      queue.close();
      await slots.close();
    },
    isAble: () => slots.isAble(),
    processIds: () => slots.all().flatMap((slot) => slot.process.pid ?? []),
    load: queue.load,
  };
}

/** The same limits, and whether anything has been handed on. */
function watched(limits: TaskLimits): { limits: TaskLimits; hasBegun: () => boolean } {
  const { onPiece } = limits;
  let hasBegun = false;
  if (onPiece === undefined) return { limits, hasBegun: () => false };
  const watching: OnPiece = (piece) => {
    hasBegun = true;
    return onPiece(piece);
  };
  return { limits: { ...limits, onPiece: watching }, hasBegun: () => hasBegun };
}

/**
 * Performs one task in a slot. The client is answered as soon as its time is up or its connection is closed;
 * the slot is released only when the process has settled or ended.
 */
function performIn<Task extends ProcessTask>(
  slot: Slot<QueryProcess>,
  task: Task,
  { timeoutMs, signal, untilSettled = false, onPiece }: TaskLimits,
  logger: QueryLogger | undefined,
  queue: Queue<QueryProcess>,
): Promise<AnswerOf<Task>> {
  return new Promise((resolve, reject) => {
    let stopped: unknown;
    let isSettled = false;
    const stop = (error: unknown) => {
      stopped ??= error;
      delivery.close();
      // The process may work for somebody else by now.
      if (isSettled) return;
      if (!untilSettled) reject(stopped);
      slot.process.interrupt();
      queue.answered(slot);
    };
    const aborted = () => stop(new AppError('query_failed', 'The query was cancelled.'));
    const timer = setTimeout(() => stop(timedOut(timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', aborted, { once: true });
    const settled = (isSpent: boolean) => {
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      queue.leave(slot, isSpent);
    };
    const delivery = createDelivery(onPiece, stop);
    slot.process.run(task, delivery.take).then(
      (outcome) => {
        settled(outcome.isSpent);
        if (outcome.kind === 'answer') {
          delivery.end().then(() => resolve(outcome.answer as AnswerOf<Task>), reject);
          return;
        }
        delivery.close();
        logHidden(outcome, task, logger);
        reject(stopped ?? new AppError(outcome.code, outcome.message));
      },
      (error: unknown) => {
        settled(true);
        delivery.close();
        reject(stopped ?? error);
      },
    );
    if (signal?.aborted === true) aborted();
  });
}

function statementOf(request: QueryRequest): ProcessStatement {
  const { location, plain, relations, sql, limit, rowFormat, atVersions } = request;
  const { parameters = [], tableSources = [], onlyCheck } = request;
  return {
    ...{ kind: 'run', location, plain, relations, sql, parameters, tableSources },
    ...{ limit, rowFormat, atVersions, onlyCheck },
  };
}

function logHidden(
  outcome: Extract<StatementOutcome, { kind: 'failure' }>,
  { location }: ProcessTask,
  logger: QueryLogger | undefined,
): void {
  if (outcome.privateDetail === undefined) return;
  const { catalog, organizationId } = location;
  const detail = withoutValues(outcome.privateDetail.replaceAll(catalog?.password || '***', '***'));
  logger?.warn(
    { code: outcome.code, organizationId, detail },
    'a query failed for a reason not shown to its client',
  );
}

function timedOut(timeoutMs: number): AppError {
  return new AppError('query_timeout', `The query took longer than ${timeoutMs} ms.`);
}

function endedTwice(): AppError {
  return new AppError(
    'query_failed',
    'The process that ran this statement ended twice before it finished. A simpler statement may work.',
  );
}

function cutShort(): AppError {
  return new AppError(
    'query_failed',
    'The process that ran this statement ended before the answer was complete.',
  );
}

function saturated(): AppError {
  return new AppError(
    'queries_saturated',
    'The organization has too many running queries. Try again shortly.',
    { retryAfterSeconds: 1 },
  );
}
