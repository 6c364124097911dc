import { Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { GridColumn } from '../parts/column-widths.ts';
import { GridFrame } from '../parts/grid-frame.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { firstRows } from './first-rows.ts';
import { type Catalog, pageRows, rowsOf } from './subject.ts';

interface RowsProps {
  id: string;
  catalog: Catalog;
  /** The newest where it is undefined. */
  version: number | undefined;
  /** What the head of a column shows. */
  head?: (column: GridColumn) => ReactNode;
}

/** How long rows are in sight before they are asked for, in milliseconds: who scrolls by wants none of them. */
const restMs = 80;
/** How long pages that are out of sight are kept, in milliseconds. */
const keptMs = 10_000;
/** Rows after those in sight, of which the page is asked for ahead. */
const ahead = 100;

/** The rows of a table or a view: any of them, as one scrolls. All are of the version that was seen first. */
export function Rows({ id, catalog, version, head }: RowsProps) {
  const first = useQuery(firstRows(id, catalog, version));
  const { pages, look } = useRest();
  const { version: shown, columns = [], total = 0 } = first.data ?? {};
  const isOther = (page: number) => page > 0 && page * pageRows < total;
  const others = useQueries({
    queries: (shown === undefined ? [] : pages.filter(isOther)).map((page) => ({
      queryKey: ['rows', id, shown, page],
      queryFn: async ({ signal }: { signal: AbortSignal }) => ({
        page,
        ...(await rowsOf(catalog, { page, version: shown, columns, signal })),
      }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: keptMs,
    })),
  });
  const failed = [first, ...others].find(({ error }) => error !== null);
  if (first.data === undefined)
    return first.error === null ? (
      <Loading />
    ) : (
      <Failure error={first.error} onRetry={() => void first.refetch()} />
    );
  const { rows, isCut } = first.data;
  if (total === 0) return <p>{texts.table.empty}</p>;
  const there = new Map(others.flatMap(({ data }) => (data === undefined ? [] : [[data.page, data.rows]])));
  const rowAt = (index: number) => {
    const page = Math.floor(index / pageRows);
    return page === 0 || isCut || shown === undefined ? rows[index] : there.get(page)?.[index % pageRows];
  };
  return (
    <>
      <GridFrame
        label={texts.table.rows}
        {...{ columns, rowAt }}
        {...(head === undefined ? {} : { head })}
        count={total}
        onShown={look}
      />
      {failed?.error && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
      {isCut && <Text c="dimmed">{texts.table.cut(rows.length)}</Text>}
    </>
  );
}

/** The pages of the rows in sight, once they stay in sight. */
function useRest() {
  const [pages, setPages] = useState<readonly number[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const look = useCallback((from: number, to: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const [low, high] = [from, to + ahead].map((row) => Math.floor(row / pageRows)) as [number, number];
      const next = Array.from({ length: high - low + 1 }, (_, at) => low + at);
      setPages((before) => (before.join() === next.join() ? before : next));
    }, restMs);
  }, []);
  return { pages, look };
}
