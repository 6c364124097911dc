import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { addressOf, useChanged, useGiven } from '../parts/statement-address.ts';
import type { SavedQuery } from '../saved/resources.ts';
import type { Sheet, useSheets } from './sheets.ts';

/** Opens on a sheet what the address names, and has the address name what is looked at. */
export function useOpened(sheets: ReturnType<typeof useSheets>) {
  const given = useGiven();
  const changed = useChanged();
  const navigate = useNavigate();
  const { query: queryId } = useSearch({ from: '/framed/query' });
  const isHere = useLocation({ select: ({ pathname }) => pathname.endsWith('/query') });
  /** What the address was told, which is open already. */
  const told = useRef<string>(undefined);
  const [seen, setSeen] = useState<string>();
  const now = `${given ?? ''}\n${changed?.id ?? ''}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address alone opens another statement.
  useEffect(() => {
    if (!isHere || given === undefined || now === seen) return;
    setSeen(now);
    if (given !== '' && given !== told.current) sheets.open(given, changed);
    told.current = undefined;
  }, [isHere, now, seen]);
  return {
    queryId,
    /** The saved query of the address, as it is fetched. */
    openSaved: sheets.openSaved as (saved: SavedQuery) => void,
    /** After a run the address has the statement, so that it can be sent to somebody. */
    tell(sheet: Sheet, sql = sheet.sql) {
      const { saved } = sheet;
      if (saved !== undefined && saved.sql === sql) {
        void navigate({
          to: '/query',
          search: { query: saved.id, project: saved.projectId },
          replace: queryId === saved.id,
        });
        return;
      }
      told.current = sql === given ? undefined : sql;
      void navigate({
        to: '/query',
        ...addressOf(sql, sheet.changed),
        replace: given === '' && queryId === undefined,
      });
    },
    /** An empty sheet, or the one beside a sheet that is closed: neither is what the address has. */
    leave(then: () => void) {
      told.current = '';
      then();
      void navigate({ to: '/query', search: {}, replace: true });
    },
    /** Another sheet is looked at: the address is that of what was run there last. */
    show(sheet: Sheet) {
      sheets.activate(sheet.id);
      const { saved, ran = '', sql } = sheet;
      if (saved !== undefined && saved.sql === sql) {
        void navigate({ to: '/query', search: { query: saved.id, project: saved.projectId }, replace: true });
        return;
      }
      told.current = ran === given ? undefined : ran;
      void navigate({
        to: '/query',
        ...(ran === '' ? { search: {} } : addressOf(ran, sheet.changed)),
        replace: true,
      });
    },
  };
}
