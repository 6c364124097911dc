import { type HistoryState, useLocation } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** A statement that is too long for the address. */
    sql?: string;
  }
}

/** In an address, in characters as they are written there. With more, servers and proxies refuse the whole request. */
const longest = 4_000;

interface Address {
  search: { sql?: string; of?: string };
  state: HistoryState;
}

/**
 * Where a statement has its page; `of` is the view or the calculated table whose statement is to be changed. A longer one is kept by the entry of the browser's history: going back and a reload
 * find it, though its address leads nobody else to it.
 */
export function addressOf(sql: string, of?: string): Address {
  const isLong = new URLSearchParams({ sql }).toString().length > longest;
  const changed = of === undefined ? {} : { of };
  return isLong ? { search: changed, state: { sql } } : { search: { sql, ...changed }, state: {} };
}

/** The statement that the page was opened with; undefined while the browser is on its way to another page. */
export const useGiven = (): string | undefined =>
  // Both are of one location: they change at once.
  useLocation({
    select: ({ pathname, search, state }) =>
      pathname.endsWith('/query') ? (search.sql ?? state.sql ?? '') : undefined,
  });
