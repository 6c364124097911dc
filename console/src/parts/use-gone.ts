import { type RefObject, useEffect, useRef } from 'react';

/** Whether the part that waits for something is not shown any more. */
export function useGone(): RefObject<boolean> {
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  return isGone;
}
