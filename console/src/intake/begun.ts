import { useSyncExternalStore } from 'react';

/** An import that was begun in this tab; what it brings in is attached to its project once it has ended. */
export interface Begun {
  importId: string;
  projectId: string;
}

/** It outlives the page, and a reload of the tab. */
const key = 'imports';
const listeners = new Set<() => void>();
const none: readonly Begun[] = [];
let known: { text: string | null; begun: readonly Begun[] } = { text: null, begun: none };

function read(): readonly Begun[] {
  const text = sessionStorage.getItem(key);
  if (text !== known.text) known = { text, begun: text === null ? none : (JSON.parse(text) as Begun[]) };
  return known.begun;
}

function write(begun: readonly Begun[]): void {
  if (begun.length === 0) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(begun));
  for (const listener of listeners) listener();
}

export const beginImport = (begun: Begun): void => write([...read(), begun]);
export const endImport = (id: string): void => write(read().filter(({ importId }) => importId !== id));

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
export const useBegun = (): readonly Begun[] => useSyncExternalStore(subscribe, read);
