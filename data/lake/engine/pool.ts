import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import type { WaitingRules } from '../../process-pool/admission.ts';
import { removeLeftovers } from '../../process-pool/leftovers.ts';
import { measuredJob } from '../../process-pool/measures.ts';
import { createQueue, type Queue } from '../../process-pool/queue.ts';
import { createSlots } from '../../process-pool/slots.ts';
import { inSpan } from '../../telemetry/spans.ts';
import { verbOf } from '../../telemetry/statement-verb.ts';
import type { LakeLocation } from '../location.ts';
import type { EngineConnection, LakeEngine, SessionOptions } from './contract.ts';
import {
  type EngineProcess,
  type EngineSettings,
  engineFolderKind,
  startEngineProcess,
} from './engine-process.ts';
import { EngineEndedError } from './failure.ts';
import type { Call } from './process/messages.ts';

export interface EngineOptions extends EngineSettings {
  /** Of the pool, in metrics and traces; `engine` if left out. */
  name?: string;
  /** The module its processes run: `serveEngine` with the jobs they are asked for. */
  module: URL;
  workDir: string;
  /**
   * Number of processes kept; temporarily up to twice as many, so that every organization gets its guaranteed
   * two.
   */
  processes: number;
  /** Whether one of them starts before any work comes; true if left out. */
  startsEarly?: boolean | undefined;
  waiting: WaitingRules;
  /** Maximum wait for a process that the organization is guaranteed. */
  waitMs: number;
  /** Maximum duration of a session that sets none itself. */
  sessionTimeoutMs: number;
  niceness: number;
  /** The error thrown if too many are waiting. */
  refusal: () => AppError;
  logger?: { warn(fields: object, message: string): void } | undefined;
}

/** The most statements of a session whose kinds its span names. */
const mostNoted = 32;

type CallEngine = EngineProcess['call'];
type Work<T> = (call: CallEngine) => Promise<T>;

export function createLakeEngine(options: EngineOptions): LakeEngine {
  const { extensionDir, objectStore, memoryLimitBytes, threads, maxTextsCharacters } = options;
  const { name: pool = 'engine' } = options;
  const installDir = join(options.workDir, 'extensions');
  const settings = { extensionDir, installDir, objectStore, memoryLimitBytes, threads, maxTextsCharacters };
  const onStderr = (text: string) => options.logger?.warn({ text: text.slice(0, 2_000) }, 'engine process');
  const slots = createSlots<EngineProcess>({
    processes: options.processes,
    startsEarly: options.startsEarly,
    start: () => startEngineProcess(options.module, settings, options.workDir, options.niceness, onStderr),
    onChange: () => queue.serve(),
  });
  const queue: Queue<EngineProcess> = createQueue({
    name: pool,
    processes: options.processes,
    slots,
    waiting: options.waiting,
    refusal: options.refusal,
  });
  void removeLeftovers(options.workDir, engineFolderKind);

  /**
   * Runs `work` with a process of its own, and returns the process to the pool once all its calls are done.
   */
  async function inProcess<T>(organizationId: string, given: SessionOptions, work: Work<T>): Promise<T> {
    const { signal, timeoutMs = options.sessionTimeoutMs } = given;
    signal?.throwIfAborted();
    const slot = await queue.enter(organizationId, options.waitMs, signal);
    const { process } = slot;
    const stop = interrupter(process, signal, timeoutMs);
    try {
      const result = await work(stop.call);
      stop.throwIfStopped();
      return result;
    } catch (error) {
      stop.throwIfStopped();
      if (error instanceof EngineEndedError)
        options.logger?.warn({ organizationId, pid: process.pid }, 'an engine process ended during its work');
      throw error;
    } finally {
      stop.end();
      queue.leave(slot, process.isSpent);
    }
  }

  /** The same, measured and traced by the shape of its statements only. */
  function measured<T>(
    job: string,
    organizationId: string,
    given: SessionOptions,
    work: Work<T>,
  ): Promise<T> {
    const attributes = {
      'workspace.pool': pool,
      'workspace.job': job,
      'workspace.organization_id': organizationId,
    };
    return measuredJob(pool, job, () =>
      inSpan(`${pool} ${job}`, { attributes }, async (span) => {
        if (!span.isRecording()) return inProcess(organizationId, given, work);
        const statements: string[] = [];
        const noting = (call: CallEngine): CallEngine => {
          return (asked, onProgress) => {
            if ('sql' in asked && statements.length < mostNoted) statements.push(verbOf(asked.sql));
            return call(asked, onProgress);
          };
        };
        try {
          return await inProcess(organizationId, given, (call) => work(noting(call)));
        } finally {
          if (statements.length > 0) span.setAttribute('workspace.statements', statements);
        }
      }),
    );
  }

  /** Runs a session on a connection; closing it waits for calls still in progress. */
  function session<T>(
    organizationId: string,
    location: LakeLocation | undefined,
    work: (connection: EngineConnection) => Promise<T>,
    given: SessionOptions = {},
  ): Promise<T> {
    return measured('session', organizationId, given, async (call) => {
      let isClean = false;
      try {
        await call({ do: 'open', location });
        const result = await work(connectionOf(call));
        isClean = true;
        return result;
      } finally {
        await call({ do: 'close', isClean }).catch(() => undefined);
      }
    });
  }

  return {
    use: (location, work, given) => session(location.organizationId, location, work, given),
    scratch: (organizationId, work, given) => session(organizationId, undefined, work, given),
    perform: (organizationId, { name, input, onProgress }, given = {}) =>
      measured(name, organizationId, given, (call) => call({ do: 'perform', name, input }, onProgress)),
    isAble: () => slots.isAble(),
    processIds: () => slots.all().flatMap((slot) => slot.process.pid ?? []),
    load: queue.load,
    close: async () => {
      queue.close();
      await slots.close();
    },
  };
}

interface Interrupter {
  /** Calls the process; after a stop only the end of the session is let through. */
  call: CallEngine;
  throwIfStopped(): void;
  end(): void;
}

/** Interrupts the work when its signal aborts or its time is up, and remembers the reason. */
function interrupter(
  process: EngineProcess,
  signal: AbortSignal | undefined,
  timeoutMs: number,
): Interrupter {
  let reason: unknown;
  const stop = (why: unknown) => {
    reason ??= why;
    process.interrupt();
  };
  const onAbort = () => stop(signal?.reason);
  const timer = setTimeout(() => stop(tookTooLong(timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) reason = signal.reason;
  const throwIfStopped = () => {
    if (reason !== undefined) throw reason;
  };
  return {
    call: async (call, onProgress) => {
      await process.ready;
      if (call.do !== 'close') throwIfStopped();
      return process.call(call, onProgress);
    },
    throwIfStopped,
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function tookTooLong(timeoutMs: number): AppError {
  return new AppError(
    'storage_unavailable',
    `The work on the lake took longer than ${Math.round(timeoutMs / 1_000)} s and was stopped.`,
    { retryAfterSeconds: 5 },
  );
}

function connectionOf(call: CallEngine): EngineConnection {
  const statement = (kind: 'run' | 'read' | 'readTexts', sql: string, values: readonly unknown[] = []) =>
    call({ do: kind, sql, values } as Call);
  return {
    run: (sql, values) => statement('run', sql, values) as Promise<number>,
    read: (sql, values) => statement('read', sql, values) as ReturnType<EngineConnection['read']>,
    readTexts: (sql) => statement('readTexts', sql) as ReturnType<EngineConnection['readTexts']>,
  };
}
