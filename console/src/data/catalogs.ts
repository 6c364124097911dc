import { workspace } from '../session/login.ts';

async function allCatalogs() {
  const [{ tables }, { views }] = await Promise.all([
    workspace.get('/v1/tables/catalog', { params: { query: { compact: 'true' } } }),
    workspace.get('/v1/views/catalog', { params: { query: { compact: 'true' } } }),
  ]);
  return { tables, views };
}

/** What is known of every table and view, in short. */
export const catalogsQuery = { queryKey: ['tables', 'catalogs'], queryFn: allCatalogs };
