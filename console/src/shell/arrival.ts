import { useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import * as texts from '../texts/index.ts';

/** The title of the tab is that of the page, as soon as the page has one. */
export function useTitle(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const look = () => {
      const heading = main.current?.querySelector('h1')?.textContent?.trim() ?? '';
      const title = heading === '' ? texts.name : `${heading} · ${texts.name}`;
      if (document.title !== title) document.title = title;
    };
    look();
    const observer = new MutationObserver(look);
    observer.observe(main.current!, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      document.title = texts.name;
    };
  }, [main]);
}

/** Whoever goes to another page is at its beginning, by keyboard and for a screen reader too. */
export function useFocus(main: RefObject<HTMLElement | null>): void {
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const shown = useRef(pathname);
  useEffect(() => {
    const isFirst = shown.current === undefined;
    if (shown.current === pathname) return;
    shown.current = pathname;
    // A page that has put the focus into a field of its own keeps it there, and so does a choice by keys.
    const focused = document.activeElement;
    const isTaken = main.current?.contains(focused) || focused?.matches('input, select, textarea');
    if (!isFirst && isTaken !== true) main.current?.focus({ preventScroll: true });
  }, [main, pathname]);
}
