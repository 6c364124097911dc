/** Limits concurrency; waiting work is admitted owner by owner in rotation. */
export type FairSlots = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

export function createFairSlots(count: number): FairSlots {
  let free = count;
  /** Waiting work by owner; the first owner is next. */
  const waiting = new Map<string, (() => void)[]>();

  function next(): (() => void) | undefined {
    for (const [owner, queue] of waiting) {
      const turn = queue.shift();
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue);
      return turn;
    }
    return undefined;
  }

  return async (owner, work) => {
    if (free > 0) free -= 1;
    else {
      await new Promise<void>((resolve) => {
        const queue = waiting.get(owner) ?? [];
        queue.push(resolve);
        waiting.set(owner, queue);
      });
    }
    try {
      return await work();
    } finally {
      const turn = next();
      if (turn === undefined) free += 1;
      else turn();
    }
  };
}
