import { catalogsQuery } from '../data/catalogs.ts';

type Catalogs = Awaited<ReturnType<typeof catalogsQuery.queryFn>>;

/** Columns by table and view, for completion. */
export const schemaQuery = {
  ...catalogsQuery,
  select: ({ tables, views }: Catalogs): Record<string, string[]> =>
    Object.fromEntries(
      [...tables, ...views].map(({ name, columns }) => [name, columns.map((column) => column.name)]),
    ),
  staleTime: 60_000,
};
