import { type HistoryState, useLocation, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** A statement that is too long for the address. */
    sql?: string;
  }
}

/** In an address, in characters as they are written there. With more, servers and proxies refuse the whole request. */
const longest = 4_000;

/** The view or the calculated table whose statement is to be changed, as it was when it was opened. */
export interface Changed {
  id: string;
  revision: number;
}

interface Address {
  search: { sql?: string; of?: string; revision?: string };
  state: HistoryState;
}

/**
 * Where a statement has its page, to be run or to be changed. A longer one is kept by the entry of the browser's history: going back and a reload
 * find it, though its address leads nobody else to it.
 */
export function addressOf(sql: string, of?: Changed): Address {
  const isLong = new URLSearchParams({ sql }).toString().length > longest;
  const changed = of === undefined ? {} : { of: of.id, revision: String(of.revision) };
  return isLong ? { search: changed, state: { sql } } : { search: { sql, ...changed }, state: {} };
}

/** The statement that the page was opened with; undefined while the browser is on its way to another page. */
export const useGiven = (): string | undefined =>
  // Both are of one location: they change at once.
  useLocation({
    select: ({ pathname, search, state }) =>
      pathname.endsWith('/query') ? (search.sql ?? state.sql ?? '') : undefined,
  });

/** What the page was opened to change; nothing where the address does not say as of when. */
export function useChanged(): Changed | undefined {
  const { of: id, revision = '' } = useSearch({ from: '/framed/query' });
  return useMemo(
    () => (id !== undefined && /^\d{1,9}$/.test(revision) ? { id, revision: Number(revision) } : undefined),
    [id, revision],
  );
}
