import { type components, query } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';

type Catalog = components['schemas']['TableCatalog'] | Omit<components['schemas']['ViewCatalog'], 'rowCount'>;

/** A table or a view: both are described alike, and their ids tell them apart. */
export const isView = (id: string): boolean => id.startsWith('viw_');

export async function describe(id: string): Promise<Catalog> {
  if (isView(id))
    return (await workspace.get('/v1/views/{view_id}/catalog', { params: { path: { view_id: id } } })).data;
  return (await workspace.get('/v1/tables/{table_id}/catalog', { params: { path: { table_id: id } } })).data;
}

export interface RowsPage {
  rows: unknown[][];
  next: string | null;
  /** There are more rows, to which no page leads. */
  isCut: boolean;
}

const pageRows = 1_000;
/** Of a view, which has no pages. */
const viewRows = 10_000;

/** A page of rows, each in the order of the columns. */
export async function rowsOf(catalog: Catalog, cursor: string | null): Promise<RowsPage> {
  if ('viewId' in catalog) {
    const sql = `SELECT * FROM ${catalog.qualifiedName}`;
    const answer = await query(workspace, { sql, limit: viewRows, rowFormat: 'rows_with_column_order' });
    const rows = answer.rows_with_column_order ?? [];
    return { rows: rows.map((row) => row.map(({ value }) => value)), next: null, isCut: answer.truncated };
  }
  const { items, nextCursor } = await workspace.get('/v1/tables/{table_id}/rows', {
    params: {
      path: { table_id: catalog.tableId },
      query: { limit: pageRows, ...(cursor === null ? {} : { cursor }) },
    },
  });
  const names = catalog.columns.map(({ name }) => name);
  return { rows: items.map((row) => names.map((name) => row[name])), next: nextCursor, isCut: false };
}
