import { queryOptions } from '@tanstack/react-query';
import { type Catalog, rowsOf } from './subject.ts';

/** The first page of rows of a version, which says how many there are; the newest where it is undefined. */
export const firstRows = (id: string, catalog: Catalog, version: number | undefined) =>
  queryOptions({
    queryKey: ['rows', id, version, catalog.columns.map(({ name, dataType }) => [name, dataType])],
    queryFn: ({ signal }) => rowsOf(catalog, { page: 0, version, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
