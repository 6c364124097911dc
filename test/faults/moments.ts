import { setTimeout as delay } from 'node:timers/promises';

/**
 * `completed`: a batch is about to be applied. `said`: a message is about to be posted. `answering`: the
 * model begins to answer. `calling`: it has called tools. `firing`: a schedule is being triggered. `mailing`:
 * the mail server has a mail, and has not answered. `read`: a dataset's source has answered the last page,
 * which is about to be committed. `copying`: a database is being copied.
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

/** Notifies waiters that a moment has come. */
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
