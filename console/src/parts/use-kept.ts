import { useEffect, useState } from 'react';

/** A state that a reload of the tab does not lose, by its key; where the browser has room for no more, it does. */
export function useKept<T>(key: string, initial: () => T, isValid: (value: unknown) => boolean) {
  const [value, setValue] = useState<T>(() => read(key, isValid) ?? initial());
  useEffect(() => {
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {
      sessionStorage.removeItem(key);
    }
  }, [key, value]);
  return [value, setValue] as const;
}

function read<T>(key: string, isValid: (value: unknown) => boolean): T | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return isValid(kept) ? (kept as T) : undefined;
  } catch {
    return undefined;
  }
}
