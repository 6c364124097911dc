import { useBlocker } from '@tanstack/react-router';
import * as texts from '../texts/index.ts';

/** Asks before a page is left on which something was written that is not stored. */
export function useUnsaved(isUnsaved: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isUnsaved && current.pathname !== next.pathname && !confirm(texts.parts.unsaved),
    enableBeforeUnload: isUnsaved,
  });
}
