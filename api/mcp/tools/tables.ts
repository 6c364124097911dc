import { z } from 'zod';
import { rate, searchWords } from '../../../domain/analyst/turns/tools/search-tables.ts';
import { cut } from '../../../domain/analyst/turns/tools/table-notes.ts';
import { type Inside, path, Refusal } from '../inside.ts';
import { defineTool, fields } from '../tool.ts';
import { waitFor } from '../wait.ts';

const tableId = z
  .string()
  .min(1)
  .max(255)
  .describe('The id of a table or view, from list_tables or search_catalog: `tbl_…` or `viw_…`.');
const maxText = 500;
const maxSampleText = 200;
const maxColumns = 300;

interface Column {
  name: string;
  dataType: string | null;
}

interface Catalog {
  tableId?: string;
  viewId?: string;
  name: string;
  description: string;
  rowCount?: number;
  columns: (Column & { description: string | null; note?: string | null })[];
}

const isView = (id: string) => !id.startsWith('tbl_');

const cutCell = (value: unknown): unknown =>
  typeof value === 'string'
    ? cut(value, maxSampleText)
    : typeof value === 'object' && value !== null
      ? cut(JSON.stringify(value), maxSampleText)
      : value;

interface Listed {
  id: string;
  name: string;
  kind: string;
  rowCount: number | null;
  updatedAt: string;
  queryable: boolean;
}
interface ListedView {
  id: string;
  name: string;
  status: 'valid' | 'broken';
  updatedAt: string;
}

/** Tables and views by name, without the service's own tables, which no query reads. */
async function listed({ json }: Inside): Promise<Listed[]> {
  const [{ tables }, { views }] = await Promise.all([json('GET', '/v1/tables'), json('GET', '/v1/views')]);
  const own = (tables as Listed[]).map(({ id, name, kind, rowCount, updatedAt, queryable }) => {
    return { id, name, kind, rowCount, updatedAt, queryable };
  });
  const made = (views as ListedView[]).map(({ id, name, status, updatedAt }) => {
    return { id, name, kind: 'view', rowCount: null, updatedAt, queryable: status === 'valid' };
  });
  return [...own.filter(({ kind, queryable }) => queryable || kind !== 'system'), ...made].sort(
    (one, other) => one.name.localeCompare(other.name),
  );
}

export const listTables = defineTool({
  name: 'list_tables',
  title: 'List tables',
  description:
    'Lists the tables and views of the workspace by name, with the number of rows. Use search_catalog to find tables by topic.',
  scope: 'agent:read',
  input: z.strictObject({
    name_contains: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Only names that contain this text, ignoring case.'),
    limit: fields.limit(200, 100),
    offset: fields.offset,
  }),
  async run({ name_contains: part = '', limit, offset }, call) {
    const wanted = part.toLowerCase();
    const all = (await listed(call)).filter(({ name }) => name.toLowerCase().includes(wanted));
    const end = offset + limit;
    return {
      data: {
        tables: all.slice(offset, end),
        total: all.length,
        nextOffset: end < all.length ? end : null,
      },
    };
  },
});

export const searchCatalog = defineTool({
  name: 'search_catalog',
  title: 'Search the catalog',
  description:
    'Finds tables and views by words in their names, their columns, and the notes that people wrote about both. The best matches come first, with the columns that matched.',
  scope: 'agent:read',
  input: z.strictObject({
    words: z.string().min(1).max(500).describe('Words of the question, in the language of the names.'),
    limit: fields.limit(50, 10),
  }),
  async run({ words: said, limit }, { json }) {
    const words = [...new Set(searchWords(said))].slice(0, 20);
    const [{ tables }, { views }] = await Promise.all([
      json('GET', '/v1/tables/catalog'),
      json('GET', '/v1/views/catalog'),
    ]);
    const found = ([...tables, ...views] as Catalog[])
      .map((entry) => {
        const notes = new Map(
          entry.columns.map(({ name, description, note }) => [name, [description, note]]),
        );
        return { entry, ...rate({ ...entry, note: '' }, { columns: notes }, words) };
      })
      .filter(({ rating }) => rating > 0)
      .sort((one, other) => other.rating - one.rating || one.entry.name.localeCompare(other.entry.name));
    return {
      data: {
        found: found.slice(0, limit).map(({ entry, columns }) => ({
          id: entry.tableId ?? entry.viewId,
          name: entry.name,
          description: cut(entry.description, maxText),
          rowCount: entry.rowCount ?? null,
          columns: columns.slice(0, 20),
        })),
        total: found.length,
      },
    };
  },
});

export const describeTable = defineTool({
  name: 'describe_table',
  title: 'Describe a table',
  description:
    'Returns the columns of a table or view with their types and notes, whether its tests pass, where its data comes from, and its first rows.',
  scope: 'agent:read',
  input: z.strictObject({
    table_id: tableId,
    sample_rows: z.int().min(0).max(20).default(5),
  }),
  async run({ table_id: id, sample_rows: count }, { json }) {
    const kind = isView(id) ? 'views' : 'tables';
    const { data: catalog } = await json('GET', `/v1/${kind}${path`/${id}/catalog`}`);
    const columns = catalog.columns as Column[];
    const quoted = `"${String(catalog.name).replaceAll('"', '""')}"`;
    let sample: unknown;
    if (count > 0) {
      const body = { sql: `FROM ${quoted}`, limit: count, row_format: 'rows_with_column_order' };
      // A table that was never built has columns, but no rows.
      sample = await json('POST', '/v1/query-executions', { body }).then(
        ({ data }) =>
          (data.rows_with_column_order as { value: unknown }[][]).map((row) =>
            row.slice(0, maxColumns).map(({ value }) => cutCell(value)),
          ),
        (error: unknown) => {
          if (error instanceof Refusal) return { refused: error.answer['detail'] };
          throw error;
        },
      );
    }
    return {
      data: {
        ...catalog,
        name: catalog.name,
        inSql: quoted,
        description: cut(catalog.description, 4_000),
        columns: columns.slice(0, maxColumns),
        columnCount: columns.length,
        ...(sample === undefined ? {} : { sample }),
      },
    };
  },
});

type Profile = { stale: boolean } | { refused: unknown };

const isCurrent = (profile: Profile) => 'stale' in profile && !profile.stale;
/** Why there is none is only in the text. */
const isSettled = (profile: Profile) =>
  isCurrent(profile) || ('refused' in profile && String(profile.refused).includes('The last attempt failed'));

/** The last profile, or why there is none. */
async function profileAt({ json }: Inside, at: string): Promise<Profile> {
  try {
    return (await json('GET', at)).data;
  } catch (error) {
    if (error instanceof Refusal && error.answer['code'] === 'not_materialized')
      return { refused: error.answer['detail'] };
    throw error;
  }
}

export const profileTable = defineTool({
  name: 'profile_table',
  readOnly: false,
  title: 'Profile a table',
  description:
    'Describes the data in the columns of a table (not of a view): nulls, distinct values, minimum, maximum, mean and the most frequent values. If the current version has no profile yet, the service computes one, which requires the scope agent:write.',
  scope: 'agent:read',
  input: z.strictObject({ table_id: tableId, wait_seconds: fields.waitSeconds() }),
  async run({ table_id: id, wait_seconds: seconds }, call) {
    const at = path`/v1/tables/${id}/profile`;
    const look = () => profileAt(call, at);
    const known = await look();
    if (isCurrent(known)) return { data: known };
    try {
      await call.json('POST', at);
    } catch (error) {
      // A token that may only read gets the profile of an older version, which says that it is.
      const isReader = error instanceof Refusal && error.answer['code'] === 'missing_scope';
      if (isReader && !('refused' in known)) return { data: known };
      throw error;
    }
    const progressOf = () => ({ done: 0, message: 'computing the profile' });
    return { data: await waitFor(call, { seconds, look, hasEnded: isSettled, progressOf, known }) };
  },
});
