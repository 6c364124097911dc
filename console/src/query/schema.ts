import { workspace } from '../session/login.ts';

/** Columns by table and view, for completion. */
export const schemaQuery = {
  queryKey: ['tables', 'schema'],
  async queryFn(): Promise<Record<string, string[]>> {
    const [{ tables }, { views }] = await Promise.all([
      workspace.get('/v1/tables/catalog', { params: { query: { compact: 'true' } } }),
      workspace.get('/v1/views/catalog', { params: { query: { compact: 'true' } } }),
    ]);
    return Object.fromEntries(
      [...tables, ...views].map(({ name, columns }) => [name, columns.map((one) => one.name)]),
    );
  },
  staleTime: 60_000,
};
