import { useEffect, useState } from 'react';

/** A text that a reload of the tab does not lose, by its key; where the browser has room for no more, it does. */
export function useKeptText(key: string) {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(key);
    else keep(key, text);
  }, [key, text]);
  return [text, setText] as const;
}

function keep(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    sessionStorage.removeItem(key);
  }
}
