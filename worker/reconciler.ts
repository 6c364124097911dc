import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../data/postgres/client.ts';
import { runStep } from '../data/reconciling/run.ts';
import type { ReconcileStep } from '../data/reconciling/step.ts';

const everyMs = 10_000;

/**
 * Puts right what a crash left between two stores, step by step, for as long as the worker runs. Every worker
 * does; they share the items. A step that cannot look for its items keeps no other from its own.
 */
export function startReconciler(
  deps: { db: Database; logger: Logger },
  steps: readonly ReconcileStep[],
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const rounds = (async () => {
    while (!stopping.signal.aborted) {
      // Not all workers at once.
      await wait(everyMs * (0.75 + Math.random() / 2), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      for (const step of steps) {
        if (stopping.signal.aborted) return;
        await runStep(deps, step).catch((err: unknown) =>
          deps.logger.warn({ err, step: step.name }, 'reconciliation will be tried again'),
        );
      }
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await rounds;
    },
  };
}
