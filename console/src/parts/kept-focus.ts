import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react';

/** Where what had the focus is not drawn any more, its frame has it: keys go on to scroll there. */
export function useKeptFocus(frame: RefObject<HTMLElement | null>) {
  const focused = useRef<Element>(null);
  useLayoutEffect(() => {
    if (focused.current === null || focused.current.isConnected) return;
    focused.current = null;
    frame.current!.focus({ preventScroll: true });
  });
  return {
    onFocus({ target }: FocusEvent) {
      focused.current = target;
    },
    onBlur() {
      focused.current = null;
    },
  };
}
