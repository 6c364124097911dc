import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { Grid } from '../parts/grid.tsx';
import { Failure, Fetched, Loading } from '../parts/states.tsx';
import { texts } from '../texts.ts';
import { describe, rowsOf } from './subject.ts';

type Catalog = Awaited<ReturnType<typeof describe>>;

const route = getRouteApi('/framed/tables/$tableId');

/** What a tab keeps of a table: pages of a thousand rows. */
const maxPages = 100;

export function TablePage() {
  const { tableId } = route.useParams();
  const asked = useQuery({ queryKey: ['catalog', tableId], queryFn: () => describe(tableId) });
  return <Fetched asked={asked}>{(catalog) => <Described id={tableId} catalog={catalog} />}</Fetched>;
}

function Described({ id, catalog }: { id: string; catalog: Catalog }) {
  const { name, qualifiedName, description, modelingTier, lineage, columns } = catalog;
  const facts = [
    ...('rowCount' in catalog ? [texts.table.counted(catalog.rowCount)] : []),
    modelingTier,
    ...('verification' in catalog ? [texts.table.tests[catalog.verification.state]] : []),
    texts.table.made(lineage.upstream, lineage.downstream),
  ];
  return (
    <>
      <h1>{name}</h1>
      <p className="facts">
        {facts.join(' · ')} ·{' '}
        <Link to="/query" search={{ sql: `SELECT * FROM ${qualifiedName} LIMIT 100` }}>
          {texts.table.query}
        </Link>
      </p>
      {description !== '' && <p>{description}</p>}
      <h2>{texts.table.rows}</h2>
      <Rows id={id} catalog={catalog} />
      <h2>{texts.table.columns}</h2>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{texts.table.column.name}</th>
            <th scope="col">{texts.table.column.type}</th>
            <th scope="col">{texts.table.column.description}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column) => (
            <tr key={column.name}>
              <th scope="row">{column.name}</th>
              <td>{column.dataType}</td>
              <td>{[column.description, column.note].filter(Boolean).join(' ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Rows({ id, catalog }: { id: string; catalog: Catalog }) {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['rows', id],
    queryFn: ({ pageParam }) => rowsOf(catalog, pageParam),
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
  return (
    <>
      <Grid label={texts.table.rows} columns={catalog.columns} rows={rows} onEnd={more} />
      {isCut && <p className="hint">{texts.table.cut(rows.length)}</p>}
    </>
  );
}
