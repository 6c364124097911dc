/** One thing to repair, and how. */
export interface ReconcileItem {
  /** The same for the same thing, whichever worker finds it. */
  key: string;
  work(): Promise<unknown>;
}

/**
 * How to find and repair one kind of inconsistency that a crash between two stores leaves behind. Features
 * register their steps with the worker. An item may be found by several workers, and again after a failure,
 * so work must be repeatable.
 */
export interface ReconcileStep {
  name: string;
  find(): Promise<readonly ReconcileItem[]>;
}

/** Maximum number of items found at once; the next round finds the rest. */
export const itemsAtOnce = 100;

/** A step over items identified by their ids. */
export function itemsStep<T extends object>(
  name: string,
  find: () => Promise<readonly T[]>,
  work: (item: T) => Promise<unknown>,
): ReconcileStep {
  return {
    name,
    find: async () =>
      (await find()).map((item) => ({ key: Object.values(item).join(' '), work: () => work(item) })),
  };
}

/** A step that is a single task, run every round. */
export function wholeStep(name: string, work: () => Promise<unknown>): ReconcileStep {
  return { name, find: async () => [{ key: 'all', work }] };
}
