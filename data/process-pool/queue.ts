import { guaranteedAtOnce, isWithinShare, type Load, mayWait, type WaitingRules } from './admission.ts';
import type { PoolProcess, Slot, Slots } from './slots.ts';

/** Gives out slots: at once within an organization's fair share, after a bounded wait beyond it. */
export interface Queue<P extends PoolProcess> {
  /** Rejects with `refusal` where the time is over, the signal aborts, or too many wait. */
  enter(organizationId: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Slot<P>>;
  /** Whoever asked has the answer: from now on the slot no longer counts against its organization. */
  answered(slot: Slot<P>): void;
  /** The process is done. */
  leave(slot: Slot<P>, isSpent: boolean): void;
  /** Hands free slots to those who wait. */
  serve(): void;
  close(): void;
}

export interface QueueOptions<P extends PoolProcess> {
  processes: number;
  slots: Slots<P>;
  waiting: WaitingRules;
  refusal: () => Error;
}

interface Waiter<P extends PoolProcess> {
  organizationId: string;
  give: (slot: Slot<P>) => void;
  refuse: () => void;
}

export function createQueue<P extends PoolProcess>(options: QueueOptions<P>): Queue<P> {
  const { processes, slots, refusal } = options;
  const running = new Map<string, number>();
  const waiting = new Map<string, number>();
  const waiters = new Set<Waiter<P>>();
  /** Slots whose work counts as running. */
  const counted = new Set<Slot<P>>();
  const load: Load = { processes, running, waiting };

  function count(map: Map<string, number>, organizationId: string, change: number): void {
    const next = (map.get(organizationId) ?? 0) + change;
    if (next === 0) map.delete(organizationId);
    else map.set(organizationId, next);
  }

  function takeNow(organizationId: string): Slot<P> | undefined {
    if (!isWithinShare(load, organizationId)) return undefined;
    const slot = slots.take(organizationId, running.get(organizationId) ?? 0);
    if (slot !== undefined) {
      counted.add(slot);
      count(running, organizationId, 1);
    }
    return slot;
  }

  function uncount(slot: Slot<P>): void {
    if (counted.delete(slot) && slot.organizationId !== undefined) count(running, slot.organizationId, -1);
  }

  function serve(): void {
    for (const waiter of waiters) {
      const slot = takeNow(waiter.organizationId);
      if (slot !== undefined) waiter.give(slot);
    }
  }

  function wait(organizationId: string, waitMs: number, signal: AbortSignal | undefined): Promise<Slot<P>> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', refuse);
        if (waiters.delete(waiter)) count(waiting, organizationId, -1);
      };
      const refuse = () => {
        done();
        reject(refusal());
      };
      const give = (slot: Slot<P>) => {
        done();
        resolve(slot);
      };
      const waiter: Waiter<P> = { organizationId, give, refuse };
      const timer = setTimeout(refuse, waitMs);
      signal?.addEventListener('abort', refuse, { once: true });
      waiters.add(waiter);
      count(waiting, organizationId, 1);
    });
  }

  return {
    enter: async (organizationId, timeoutMs, signal) => {
      const hasOlderWaiter = (waiting.get(organizationId) ?? 0) > 0;
      const slot = hasOlderWaiter ? undefined : takeNow(organizationId);
      if (slot !== undefined) return slot;
      if (!mayWait(load, organizationId, options.waiting)) throw refusal();
      const isGuaranteed = (running.get(organizationId) ?? 0) < guaranteedAtOnce;
      const waitMs = isGuaranteed ? timeoutMs : Math.min(timeoutMs, options.waiting.shareWaitMs);
      return wait(organizationId, waitMs, signal);
    },
    answered: (slot) => {
      uncount(slot);
      serve();
    },
    leave: (slot, isSpent) => {
      uncount(slot);
      if (isSpent) slots.retire(slot);
      else slots.release(slot);
    },
    serve,
    close: () => {
      for (const waiter of [...waiters]) waiter.refuse();
    },
  };
}
