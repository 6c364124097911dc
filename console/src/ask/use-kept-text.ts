import { useEffect, useState } from 'react';

/** A text that a reload of the tab does not lose, by its key. */
export function useKeptText(key: string) {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  }, [key, text]);
  return [text, setText] as const;
}
