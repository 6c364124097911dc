import { useCallback } from 'react';
import type { QueryChart } from '../charts/chart.ts';
import type { Changed } from '../parts/statement-address.ts';
import { useKept } from '../parts/use-kept.ts';
import { type Parameter, type Typed, textOf } from '../saved/parameter.ts';
import type { SavedQuery } from '../saved/resources.ts';

/** A statement that somebody writes, with what belongs to it. */
export interface Sheet {
  id: string;
  sql: string;
  /** What was run last. */
  ran?: string;
  /** The saved query that it was opened from, as it was then. */
  saved?: SavedQuery;
  /** The view or calculated table whose statement it is. */
  changed?: Changed | undefined;
  parameters: Record<string, Parameter>;
  typed: Typed;
  /** Chosen; otherwise it is guessed from the rows. */
  chart: QueryChart | null;
}

interface Sheets {
  all: Sheet[];
  active: string;
}

let made = 0;
const newId = (): string => {
  made += 1;
  return `${Date.now().toString(36)}-${made}`;
};
const blank = (sql = ''): Sheet => ({ id: newId(), sql, parameters: {}, typed: {}, chart: null });

const first = (): Sheets => {
  const sheet = blank();
  return { all: [sheet], active: sheet.id };
};

const isSheets = (value: unknown): boolean => {
  const { all, active } = (value ?? {}) as Partial<Sheets>;
  return Array.isArray(all) && all.some(({ id, sql }) => id === active && typeof sql === 'string');
};

/** Whether nobody has written on it what is nowhere else. */
const isFree = ({ sql, ran, saved }: Sheet): boolean =>
  sql.trim() === '' || sql === ran || sql === saved?.sql;

/** The statements that are open beside each other. A reload of the browser's tab keeps them. */
export function useSheets() {
  const [sheets, setSheets] = useKept('query sheets', first, isSheets);
  const active = sheets.all.find(({ id }) => id === sheets.active)!;

  const change = useCallback(
    (id: string, part: Partial<Sheet>) =>
      setSheets((now) => ({
        ...now,
        all: now.all.map((sheet) => (sheet.id === id ? { ...sheet, ...part } : sheet)),
      })),
    [setSheets],
  );
  const add = useCallback(() => {
    const sheet = blank();
    setSheets((now) => ({ all: [...now.all, sheet], active: sheet.id }));
  }, [setSheets]);
  const activate = useCallback((id: string) => setSheets((now) => ({ ...now, active: id })), [setSheets]);
  const close = useCallback(
    (id: string) =>
      setSheets((now) => {
        const at = now.all.findIndex((sheet) => sheet.id === id);
        const all = now.all.filter((sheet) => sheet.id !== id);
        if (all.length === 0) return first();
        return { all, active: now.active === id ? all[Math.max(0, at - 1)]!.id : now.active };
      }),
    [setSheets],
  );
  /** Shows a statement: where it is open already, instead of one that is kept elsewhere, or beside the others. */
  const open = useCallback(
    (sql: string, changed?: Changed) =>
      setSheets((now) => {
        const same = now.all.find((sheet) => sheet.sql === sql);
        if (same !== undefined)
          return {
            all: now.all.map((sheet) => (sheet === same && changed ? { ...sheet, changed } : sheet)),
            active: same.id,
          };
        return beside(now, { ...blank(sql), changed });
      }),
    [setSheets],
  );
  const openSaved = useCallback(
    (saved: SavedQuery) =>
      setSheets((now) => {
        const same = now.all.find((sheet) => sheet.saved?.id === saved.id);
        // What was written on it stays, with the revision that it was made from.
        if (same !== undefined && !(same.sql === same.saved?.sql)) return { ...now, active: same.id };
        const sheet = sheetOf(saved, same);
        return same === undefined
          ? beside(now, sheet)
          : { all: now.all.map((one) => (one === same ? sheet : one)), active: sheet.id };
      }),
    [setSheets],
  );
  return { all: sheets.all, active, change, add, activate, close, open, openSaved };
}

function beside(now: Sheets, sheet: Sheet): Sheets {
  const active = now.all.find(({ id }) => id === now.active)!;
  return isFree(active)
    ? { all: now.all.map((one) => (one === active ? sheet : one)), active: sheet.id }
    : { all: [...now.all, sheet], active: sheet.id };
}

const sheetOf = (saved: SavedQuery, before?: Sheet): Sheet => ({
  ...(before ?? blank()),
  ...{ sql: saved.sql, saved, parameters: saved.parameters as Record<string, Parameter>, chart: saved.chart },
  typed: before?.typed ?? typedOf(saved.parameters as Record<string, Parameter>),
});

const typedOf = (parameters: Record<string, Parameter>): Typed =>
  Object.fromEntries(Object.entries(parameters).map(([name, { default: given }]) => [name, textOf(given)]));

/** What a tab of it is called: the saved query, or how the statement begins. */
export const titleOf = ({ saved, sql }: Sheet, untitled: string): string => {
  const text =
    saved?.name ??
    sql
      .replaceAll(/--[^\n]*/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  return text === '' ? untitled : text.length > 32 ? `${text.slice(0, 32)}…` : text;
};

export const isChanged = ({ saved, sql }: Sheet): boolean => saved !== undefined && saved.sql !== sql;
export const isLost = (sheet: Sheet): boolean => !isFree(sheet);
