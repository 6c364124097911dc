import { setTimeout as delay } from 'node:timers/promises';

/**
 * `completed`: a batch, and from then on it is about to be applied. `said`: a message is about to be posted.
 * `answering`: the model begins to. `calling`: it has called tools. `firing`: a schedule is asked to fire.
 * `mailing`: the mail server has a mail, and has not said so. `read`: the source of a dataset has answered
 * the last page, which is about to be committed. `copying`: a database is being copied.
 */
export const momentNames = [
  'completed',
  'said',
  'answering',
  'calling',
  'firing',
  'mailing',
  'read',
  'copying',
] as const;
export type Moment = (typeof momentNames)[number];

/** Tells whoever waits for it that a moment has come. */
export interface Moments {
  comes(moment: Moment): void;
  until(moment: Moment, timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export function createMoments(): Moments {
  const waiting = new Map(momentNames.map((name) => [name, new Set<() => void>()] as const));
  return {
    comes(moment) {
      for (const wake of waiting.get(moment)!) wake();
      waiting.get(moment)!.clear();
    },
    async until(moment, timeoutMs, signal) {
      const next = new Promise<void>((resolve) => waiting.get(moment)!.add(resolve));
      await Promise.race([next, delay(timeoutMs, undefined, { signal, ref: false }).catch(() => {})]);
    },
  };
}
