import { type components, query, WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';

export type Catalog =
  | components['schemas']['TableCatalog']
  | (Omit<components['schemas']['ViewCatalog'], 'rowCount'> & { rowCount: null });

/** A table or a view: both are described alike, and their ids tell them apart. */
export const isView = (id: string): boolean => id.startsWith('viw_');

/** A calculated table that was never built: it has a statement, and nothing else yet. */
export interface Unbuilt {
  name: string;
  isUnbuilt: true;
}

export async function describe(id: string): Promise<Catalog | Unbuilt> {
  if (isView(id)) {
    const params = { path: { view_id: id } };
    return { ...(await workspace.get('/v1/views/{view_id}/catalog', { params })).data, rowCount: null };
  }
  const params = { path: { table_id: id } };
  try {
    return (await workspace.get('/v1/tables/{table_id}/catalog', { params })).data;
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== 'not_found') throw error;
    // It may be missing because nothing was built yet; if it is missing altogether, that is said here.
    const { data } = await workspace.get('/v1/grid/tables/{table_id}', { params });
    if (data.query === null) throw error;
    return { name: data.name, isUnbuilt: true };
  }
}

export interface RowsPage {
  columns: readonly { name: string; dataType: string | null }[];
  rows: unknown[][];
  /** Of all pages. */
  total: number;
  /** The version that was read; of a view there is none. */
  version: number | undefined;
  /** There are more rows, to which no page leads. */
  isCut: boolean;
}

export const pageRows = 1_000;
/** Of a view, which has no pages. */
const viewRows = 10_000;

interface PageRequest {
  /** From 0. */
  page: number;
  /** The newest where it is undefined. */
  version: number | undefined;
  /** Those of another page of the version. */
  columns?: RowsPage['columns'];
  signal: AbortSignal;
}

/** A page of rows, each in the order of the columns; pages of one version have the same total. */
export async function rowsOf(
  catalog: Catalog,
  { page, version, columns, signal }: PageRequest,
): Promise<RowsPage> {
  if ('viewId' in catalog) {
    const sql = `SELECT * FROM ${catalog.qualifiedName}`;
    const answer = await query(workspace, { sql, limit: viewRows, rowFormat: 'rows_with_column_order' });
    const rows = answer.rows_with_column_order ?? [];
    return {
      columns: answer.columns,
      rows: rows.map((row) => row.map(({ value }) => value)),
      total: rows.length,
      version: undefined,
      isCut: answer.truncated,
    };
  }
  const answer = await workspace.get('/v1/tables/{table_id}/rows', {
    params: {
      path: { table_id: catalog.tableId },
      query: { limit: pageRows, offset: page * pageRows, ...(version === undefined ? {} : { version }) },
    },
    signal,
  });
  const shown = columns ?? columnsOf(catalog, answer.items[0]);
  return {
    columns: shown,
    rows: answer.items.map((row) => shown.map(({ name }) => row[name])),
    total: answer.total!,
    version: answer.version,
    isCut: false,
  };
}

/** Those of the table that the rows have, and of a past version also those that the table has no more. */
function columnsOf({ columns }: Catalog, row: Record<string, unknown> | undefined): RowsPage['columns'] {
  if (row === undefined) return columns;
  const known = columns.filter(({ name }) => name in row);
  const names = new Set(columns.map(({ name }) => name));
  const gone = Object.keys(row).filter((name) => !names.has(name) && !serviceColumns.has(name));
  return [...known, ...gone.map((name) => ({ name, dataType: null }))];
}

/** Columns of the service itself. */
const serviceColumns = new Set(['s_id', '_sm_created_at']);
