import { useSyncExternalStore } from 'react';

/** The files that somebody dropped or chose, until they are uploaded. They are no part of an address. */
let given: readonly File[] = [];
const listeners = new Set<() => void>();

export function give(files: Iterable<File>): void {
  given = [...files];
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useGiven = (): readonly File[] => useSyncExternalStore(subscribe, () => given);
