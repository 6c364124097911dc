/** One thing to put right, and how. */
export interface ReconcileItem {
  /** The same for the same thing, whoever finds it. */
  key: string;
  work(): Promise<unknown>;
}

/**
 * Something that a crash between two stores leaves behind, and how it is found and put right. Features
 * register their steps with the worker. An item may be found by several workers and again after it failed:
 * work can be repeated.
 */
export interface ReconcileStep {
  name: string;
  find(): Promise<readonly ReconcileItem[]>;
}

/** At most so many items are found at once; the next round finds the others. */
export const itemsAtOnce = 100;

/** A step over things that are found by their ids. */
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

/** A step that is one piece of work, done again and again. */
export function wholeStep(name: string, work: () => Promise<unknown>): ReconcileStep {
  return { name, find: async () => [{ key: 'all', work }] };
}
