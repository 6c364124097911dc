import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../data/postgres/client.ts';
import { runStep } from '../data/reconciling/run.ts';
import type { ReconcileStep } from '../data/reconciling/step.ts';
import { counter } from '../data/telemetry/instruments.ts';

const everyMs = 10_000;

const looks = counter(
  'workspace.reconciler.looks',
  '{look}',
  'Checks of the reconciler for things to repair, by step and outcome: ok or failed.',
);

/**
 * Repairs inconsistencies that crashes leave between two stores, as long as the worker runs. Every worker
 * does this; they share the items. A step that fails to find its items does not affect the others.
 */
export function startReconciler(
  deps: { db: Database; logger: Logger },
  steps: readonly ReconcileStep[],
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const rounds = (async () => {
    while (!stopping.signal.aborted) {
      // Randomized, so that not all workers begin at once.
      await wait(everyMs * (0.75 + Math.random() / 2), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      for (const step of steps) {
        if (stopping.signal.aborted) return;
        await runStep(deps, step).then(
          () => looks.add(1, { step: step.name, outcome: 'ok' }),
          (err: unknown) => {
            looks.add(1, { step: step.name, outcome: 'failed' });
            deps.logger.warn({ err, step: step.name }, 'reconciliation will be tried again');
          },
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
