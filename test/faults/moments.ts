import { setTimeout as delay } from 'node:timers/promises';

/** `completed`: a batch, and from then on it is about to be applied. `said`: a message is about to be posted. */
export type Moment = 'completed' | 'said';

/** Tells whoever waits for it that a moment has come. */
export interface Moments {
  comes(moment: Moment): void;
  until(moment: Moment, timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export function createMoments(): Moments {
  const waiting: Record<Moment, Set<() => void>> = { completed: new Set(), said: new Set() };
  return {
    comes(moment) {
      for (const wake of waiting[moment]) wake();
      waiting[moment].clear();
    },
    async until(moment, timeoutMs, signal) {
      const next = new Promise<void>((resolve) => waiting[moment].add(resolve));
      await Promise.race([next, delay(timeoutMs, undefined, { signal, ref: false }).catch(() => {})]);
    },
  };
}
