import { forkChild } from '../../process-pool/child.ts';
import { childFolder } from '../../process-pool/leftovers.ts';
import type { PoolProcess } from '../../process-pool/slots.ts';
import { fromSent } from '../sent-error.ts';
import { extensionSource, lakeExtensions, rememberChecked } from './extensions.ts';
import { EngineEndedError } from './failure.ts';
import type { Call, EngineProcessSettings, FromEngineProcess, ToEngineProcess } from './process/messages.ts';

/** The parent's side of one engine process. */
export interface EngineProcess extends PoolProcess {
  /** Rejects if the process ended before it was ready. */
  readonly ready: Promise<void>;
  /**
   * Rejects with the error of the call, or with an EngineEndedError if the process ended before answering.
   */
  call(call: Call, onProgress?: (progress: unknown) => void): Promise<unknown>;
  /** Interrupts the running call; a process that does not react within some seconds is killed. */
  interrupt(): void;
  /** True once the process should not be given more work. */
  readonly isSpent: boolean;
}

export type EngineSettings = Omit<EngineProcessSettings, 'workDir'>;

export const engineFolderKind = 'engine';

/** Statements mostly react within 40 ms; one that waits for a hanging store does not react at all. */
const interruptGraceMs = 5_000;

let processCount = 0;

interface Pending {
  deferred: PromiseWithResolvers<unknown>;
  onProgress: ((progress: unknown) => void) | undefined;
}

export function startEngineProcess(
  module: URL,
  settings: EngineSettings,
  workDir: string,
  niceness: number,
  onStderr: (text: string) => void,
): EngineProcess {
  processCount += 1;
  const pending = new Map<number, Pending>();
  const source = extensionSource(settings.extensionDir, lakeExtensions);
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);
  let nextCallId = 0;
  let isSpent = false;
  let killTimer: NodeJS.Timeout | undefined;

  const child = forkChild<ToEngineProcess, FromEngineProcess>({
    module,
    folder: childFolder(workDir, engineFolderKind, processCount),
    niceness,
    onStderr,
    onMessage,
  });
  void child.ready.then(() =>
    child.send({ kind: 'configure', settings: { ...settings, ...source, workDir: child.folder } }),
  );
  void child.exited.then(() => {
    clearTimeout(killTimer);
    isSpent = true;
    ready.reject(new EngineEndedError());
    for (const { deferred } of pending.values()) deferred.reject(new EngineEndedError());
    pending.clear();
  });

  function onMessage(message: FromEngineProcess): void {
    if (message.kind === 'ready') {
      rememberChecked(settings.extensionDir, message.extensionsFromFiles);
      ready.resolve();
      return;
    }
    const call = pending.get(message.callId);
    if (call === undefined) return;
    if (message.kind === 'progress') {
      call.onProgress?.(message.progress);
      return;
    }
    pending.delete(message.callId);
    clearTimeout(killTimer);
    killTimer = undefined;
    isSpent ||= message.isSpent;
    if (message.kind === 'done') call.deferred.resolve(message.value);
    else call.deferred.reject(fromSent(message.error));
  }

  return {
    pid: child.pid,
    exited: child.exited,
    ended: child.ended,
    get isSpent() {
      return isSpent;
    },
    ready: ready.promise,
    async call(call, onProgress) {
      if (child.isGone) throw new EngineEndedError();
      nextCallId += 1;
      const deferred = Promise.withResolvers<unknown>();
      pending.set(nextCallId, { deferred, onProgress });
      child.send({ kind: 'call', callId: nextCallId, call });
      return deferred.promise;
    },
    interrupt() {
      if (pending.size === 0) return;
      for (const callId of pending.keys()) child.send({ kind: 'interrupt', callId });
      killTimer ??= setTimeout(child.kill, interruptGraceMs);
    },
    kill: child.kill,
  };
}
