import { useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import * as texts from '../texts/index.ts';

/** What the page is about, as soon as it says so; the title of the tab follows. */
export function useHeading(main: RefObject<HTMLElement | null>): string {
  const [heading, setHeading] = useState('');
  useEffect(() => {
    const look = () => setHeading(main.current?.querySelector('h1')?.textContent?.trim() ?? '');
    look();
    const observer = new MutationObserver(look);
    observer.observe(main.current!, { childList: true, characterData: true, subtree: true });
    return () => observer.disconnect();
  }, [main]);
  useEffect(() => {
    document.title = heading === '' ? texts.name : `${heading} · ${texts.name}`;
    return () => {
      document.title = texts.name;
    };
  }, [heading]);
  return heading;
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
