import { guaranteedAtOnce, isWithinShare, type Load, mayWait, type WaitingRules } from './admission.ts';
import { measuredWait, type PoolLoad } from './measures.ts';
import type { PoolProcess, Slot, Slots } from './slots.ts';

/** Assigns slots: immediately within an organization's fair share, after a bounded wait beyond it. */
export interface Queue<P extends PoolProcess> {
  /** Whether `enter` would let one more wait: callers may ask before they prepare their work. */
  admits(organizationId: string): boolean;
  /** Rejects with `refusal` if the wait times out, the signal aborts, or too many are waiting. */
  enter(organizationId: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Slot<P>>;
  /**
   * The caller has its answer but the process is still busy. The organization's next wait may be as long as
   * if this slot were free, but it gets no extra slot; otherwise repeated early exits would take all of them.
   */
  answered(slot: Slot<P>): void;
  /** The process has finished its work. */
  leave(slot: Slot<P>, isSpent: boolean): void;
  /** Assigns free slots to waiting callers. */
  serve(): void;
  load(): PoolLoad;
  close(): void;
}

export interface QueueOptions<P extends PoolProcess> {
  /** Of its pool, in metrics. */
  name: string;
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
  /** Number of running slots whose caller already has its answer, by organization. */
  const abandoned = new Map<string, number>();
  /** Slots counted as running, and those counted as abandoned. */
  const counted = new Set<Slot<P>>();
  const left = new Set<Slot<P>>();
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
    const { organizationId } = slot;
    if (organizationId === undefined) return;
    if (counted.delete(slot)) count(running, organizationId, -1);
    if (left.delete(slot)) count(abandoned, organizationId, -1);
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

  async function enter(
    organizationId: string,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Slot<P>> {
    const hasOlderWaiter = (waiting.get(organizationId) ?? 0) > 0;
    const slot = hasOlderWaiter ? undefined : takeNow(organizationId);
    if (slot !== undefined) return slot;
    if (!mayWait(load, organizationId, options.waiting)) throw refusal();
    const waitedFor = (running.get(organizationId) ?? 0) - (abandoned.get(organizationId) ?? 0);
    const isGuaranteed = waitedFor < guaranteedAtOnce;
    const waitMs = isGuaranteed ? timeoutMs : Math.min(timeoutMs, options.waiting.shareWaitMs);
    return wait(organizationId, waitMs, signal);
  }

  return {
    admits: (organizationId) => mayWait(load, organizationId, options.waiting),
    enter: (organizationId, timeoutMs, signal) =>
      measuredWait(options.name, signal, () => enter(organizationId, timeoutMs, signal)),
    answered: (slot) => {
      if (!counted.has(slot) || left.has(slot) || slot.organizationId === undefined) return;
      left.add(slot);
      count(abandoned, slot.organizationId, 1);
    },
    leave: (slot, isSpent) => {
      uncount(slot);
      if (isSpent) slots.retire(slot);
      else slots.release(slot);
    },
    serve,
    load: () => {
      const all = slots.all();
      const busy = all.filter(({ isBusy }) => isBusy).length;
      return { limit: processes, processes: all.length, busy, waiting: waiters.size };
    },
    close: () => {
      for (const waiter of [...waiters]) waiter.refuse();
    },
  };
}
