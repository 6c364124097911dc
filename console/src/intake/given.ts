import { useSyncExternalStore } from 'react';

/** The file that somebody dropped or chose, until it is uploaded. It is no part of an address. */
let given: File | undefined;
const listeners = new Set<() => void>();

export function give(file: File | undefined): void {
  given = file;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useGiven = (): File | undefined => useSyncExternalStore(subscribe, () => given);
