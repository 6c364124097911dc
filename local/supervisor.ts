import { setTimeout as delay } from 'node:timers/promises';
import type { PartHandle, PartName } from './part.ts';
import { describe } from './part.ts';
import { restartBudget, restartDelayMs } from './restart-budget.ts';

/** A part, as seen by the supervisor. */
export type SupervisedPart<Handle extends PartHandle> = {
  name: PartName;
  logFile: string;
  /** Parts on which it depends: its deaths while one of them is down are not counted. */
  needs: readonly PartName[];
  /** Starts it again, on the same ports. `previous` is undefined at the first start. */
  start(previous: Handle | undefined): Promise<Handle>;
};

export type Supervisor = {
  /** Starts a part and keeps it running; resolves when it is up for the first time. */
  run<Handle extends PartHandle>(part: SupervisedPart<Handle>): Promise<Handle>;
  /** Process ids of the parts that are up. */
  pids(): Partial<Record<PartName, number>>;
  /** Rejects if a part cannot be kept running. */
  failed: Promise<never>;
  /** Stops the groups one after the other, the parts of a group concurrently, all within the time. */
  stop(groups: readonly (readonly PartName[])[], timeoutMs: number): Promise<void>;
};

type SupervisorOptions = {
  report: (line: string) => void;
  /** Called whenever a part comes up or goes down. */
  onChange: () => void;
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
};

/** Delay before another start of a part that keeps dying. */
const patientDelayMs = 30_000;

/** Maximum time to stop one group, so that a slow one leaves time to those after it. */
const groupStopMs = 3_000;
const minimalStopMs = 300;

/** Restarts parts that die. The others are left alone: they reconnect by themselves. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { report, onChange, now = Date.now, wait = delay } = options;
  const up = new Map<PartName, PartHandle>();
  const managed = new Set<PartName>();
  const waiting = new Set<() => void>();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  let isStopping = false;

  const isDown = (name: PartName) => managed.has(name) && !up.has(name);

  function change(name: PartName, handle: PartHandle | undefined): void {
    if (handle === undefined) up.delete(name);
    else up.set(name, handle);
    if (isStopping) return;
    onChange();
    for (const wake of waiting) wake();
    waiting.clear();
  }

  async function untilUp(names: readonly PartName[]): Promise<void> {
    while (names.some(isDown)) await new Promise<void>((resolve) => waiting.add(resolve));
  }

  async function keepRunning<Handle extends PartHandle>(
    part: SupervisedPart<Handle>,
    first: PromiseWithResolvers<Handle>,
  ): Promise<void> {
    const budget = restartBudget();
    let previous: Handle | undefined;
    let downSinceMs = now();
    while (!isStopping) {
      await untilUp(part.needs);
      const handle = await part.start(previous).catch((error: Error) => error);
      if (isStopping) return;
      let reason: string;
      if (handle instanceof Error) {
        reason = handle.message;
      } else {
        change(part.name, handle);
        if (previous !== undefined)
          report(`${part.name} is running again after ${secondsSince(downSinceMs)}.`);
        previous = handle;
        first.resolve(handle);
        reason = (await handle.exited).reason;
        if (isStopping) return;
        downSinceMs = now();
        change(part.name, undefined);
        report(`${part.name} ended (${reason}). Restarting it.`);
        reason = describe(part.name, reason, part.logFile);
      }
      const mayDie = part.needs.some(isDown) || budget.spend(now());
      let delayMs = restartDelayMs(budget.spent(now()));
      if (!mayDie) {
        const died = `${part.name} ended five times within a minute.`;
        // A part that never came up will not after another start; one that did is not a reason to stop all
        // others.
        if (previous === undefined) throw new Error(`${died} ${reason}`);
        delayMs = patientDelayMs;
        report(`${died} Restarting it in ${delayMs / 1000} s. ${reason}`);
      }
      await wait(delayMs);
    }
  }

  const secondsSince = (startMs: number) => `${((now() - startMs) / 1000).toFixed(1)} s`;

  return {
    failed: failure.promise,
    run<Handle extends PartHandle>(part: SupervisedPart<Handle>): Promise<Handle> {
      managed.add(part.name);
      const first = Promise.withResolvers<Handle>();
      keepRunning(part, first).catch((error: unknown) => {
        failure.reject(error);
        first.reject(error);
      });
      return first.promise;
    },
    pids: () => Object.fromEntries([...up].map(([name, handle]) => [name, handle.pid])),
    async stop(groups, timeoutMs) {
      isStopping = true;
      const deadlineMs = now() + timeoutMs;
      for (const group of groups) {
        const limitMs = Math.max(minimalStopMs, Math.min(groupStopMs, deadlineMs - now()));
        await Promise.all(group.map((name) => up.get(name)?.stop(limitMs)));
      }
    },
  };
}
