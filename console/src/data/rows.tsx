import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { Grid } from '../parts/grid.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { texts } from '../texts/index.ts';
import { type Catalog, rowsOf } from './subject.ts';

interface RowsProps {
  id: string;
  catalog: Catalog;
  /** The newest where it is undefined. */
  version: number | undefined;
}

/** What a tab keeps of a table: pages of a thousand rows. */
const maxPages = 100;

/** The rows of a table or a view, page by page as one scrolls. */
export function Rows({ id, catalog, version }: RowsProps) {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['rows', id, version],
    queryFn: ({ pageParam }) => rowsOf(catalog, { cursor: pageParam, version }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }, pages) => (pages.length < maxPages ? next : null),
    // A cursor stays at the version of the first page; newer pages would not fit to it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  if (rows.length === 0) return <p>{texts.table.empty}</p>;
  const last = data.pages.at(-1)!;
  const isCut = last.isCut || (last.next !== null && !hasNextPage);
  // A past version may have had other columns.
  const columns = data.pages[0]!.columns;
  return (
    <>
      <Grid label={texts.table.rows} columns={columns} rows={rows} onEnd={more} />
      {isCut && <p className="hint">{texts.table.cut(rows.length)}</p>}
    </>
  );
}
