import { AppError } from '../../../errors.ts';
import { guaranteedStatements, isWithinShare, type Load, mayWait, shareWaitMs } from './admission.ts';
import type { Slot, Slots } from './slots.ts';

/** Gives out slots: at once within an organization's fair share, after a short and bounded wait beyond it. */
export interface Queue {
  enter(organizationId: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Slot>;
  /** The client has its answer: from now on the statement no longer counts against its organization. */
  answered(slot: Slot): void;
  /** The process is done with the statement. */
  leave(slot: Slot, isSpent: boolean): void;
  /** Hands free slots to those who wait. */
  serve(): void;
  close(): void;
}

interface Waiter {
  organizationId: string;
  give: (slot: Slot) => void;
  refuse: () => void;
}

export function createQueue(processes: number, slots: Slots): Queue {
  const running = new Map<string, number>();
  const waiting = new Map<string, number>();
  const waiters = new Set<Waiter>();
  /** Slots whose statement counts as running. */
  const counted = new Set<Slot>();
  const load: Load = { processes, running, waiting };

  function count(map: Map<string, number>, organizationId: string, change: number): void {
    const next = (map.get(organizationId) ?? 0) + change;
    if (next === 0) map.delete(organizationId);
    else map.set(organizationId, next);
  }

  function takeNow(organizationId: string): Slot | undefined {
    if (!isWithinShare(load, organizationId)) return undefined;
    const slot = slots.take(organizationId, running.get(organizationId) ?? 0);
    if (slot !== undefined) {
      counted.add(slot);
      count(running, organizationId, 1);
    }
    return slot;
  }

  function uncount(slot: Slot): void {
    if (counted.delete(slot) && slot.organizationId !== undefined) count(running, slot.organizationId, -1);
  }

  function serve(): void {
    for (const waiter of waiters) {
      const slot = takeNow(waiter.organizationId);
      if (slot !== undefined) waiter.give(slot);
    }
  }

  function wait(organizationId: string, waitMs: number, signal: AbortSignal | undefined): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', refuse);
        if (waiters.delete(waiter)) count(waiting, organizationId, -1);
      };
      const refuse = () => {
        done();
        reject(saturated());
      };
      const give = (slot: Slot) => {
        done();
        resolve(slot);
      };
      const waiter: Waiter = { organizationId, give, refuse };
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
      if (!mayWait(load, organizationId)) throw saturated();
      const isGuaranteed = (running.get(organizationId) ?? 0) < guaranteedStatements;
      return wait(organizationId, isGuaranteed ? timeoutMs : Math.min(timeoutMs, shareWaitMs), signal);
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

function saturated(): AppError {
  return new AppError(
    'queries_saturated',
    'Too many queries of this organization are running. Try again shortly.',
    {
      retryAfterSeconds: 1,
    },
  );
}
