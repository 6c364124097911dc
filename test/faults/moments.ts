import { setTimeout as delay } from 'node:timers/promises';

/** Tells whoever waits that a batch has just been completed: from then on it is about to be applied. */
export interface Moments {
  completed(): void;
  untilCompleted(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export function createMoments(): Moments {
  const waiting = new Set<() => void>();
  return {
    completed() {
      for (const wake of waiting) wake();
      waiting.clear();
    },
    async untilCompleted(timeoutMs, signal) {
      const next = new Promise<void>((resolve) => waiting.add(resolve));
      await Promise.race([next, delay(timeoutMs, undefined, { signal, ref: false }).catch(() => {})]);
    },
  };
}
