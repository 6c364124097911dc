/**
 * Limits concurrency; waiting work is admitted owner by owner in rotation. Work that is aborted while it
 * waits is never begun.
 */
export type FairSlots = <T>(owner: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export interface Sharing {
  /** The most slots that one owner holds at once; by default all. */
  perOwner?: number;
}

export function createFairSlots(count: number, { perOwner = count }: Sharing = {}): FairSlots {
  let free = count;
  const held = new Map<string, number>();
  /** Waiting work by owner; the first owner that may begin is next. */
  const waiting = new Map<string, (() => void)[]>();

  const mayBegin = (owner: string) => (held.get(owner) ?? 0) < perOwner;

  function hold(owner: string): void {
    free -= 1;
    held.set(owner, (held.get(owner) ?? 0) + 1);
  }

  function release(owner: string): void {
    free += 1;
    const left = held.get(owner)! - 1;
    if (left === 0) held.delete(owner);
    else held.set(owner, left);
    for (const [next, queue] of waiting) {
      if (free === 0) return;
      if (!mayBegin(next)) continue;
      const begin = queue.shift()!;
      waiting.delete(next);
      if (queue.length > 0) waiting.set(next, queue);
      hold(next);
      begin();
    }
  }

  function turn(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const queue = waiting.get(owner) ?? [];
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        const own = waiting.get(owner);
        const at = own?.indexOf(begin) ?? -1;
        if (own === undefined || at < 0) return;
        own.splice(at, 1);
        if (own.length === 0) waiting.delete(owner);
        reject(signal!.reason);
      };
      queue.push(begin);
      waiting.set(owner, queue);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  return async (owner, work, signal) => {
    signal?.throwIfAborted();
    if (free > 0 && mayBegin(owner)) hold(owner);
    else await turn(owner, signal);
    try {
      return await work();
    } finally {
      release(owner);
    }
  };
}
