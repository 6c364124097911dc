import type pg from 'pg';
import { identifier } from '../sql.ts';

/** A table that can be read without DuckLake. */
export interface PlainTable {
  /** A name that no other layout has in this process. */
  key: string;
  columns: PlainColumn[];
  files: PlainFiles[];
  /** Rows from the catalog: the text of each value, by column. */
  rows: (string | null)[][];
}

export interface PlainColumn {
  name: string;
  /** DuckDB's name of the type. */
  type: string;
}

/** Files whose columns are found in the same way, and that have no deletions or are alone. */
export interface PlainFiles {
  urls: string[];
  rowCount: number;
  /** For each column of the table: its field id, or its name in the files; null if they do not have it. */
  sources: (number | string | null)[];
  deletions: PlainDeletions | undefined;
}

export interface PlainDeletions {
  /** A file that lists positions of deleted rows. */
  url: string | undefined;
  /** More such positions. */
  positions: number[];
}

/** Either a plain table, or the reason why DuckLake has to read it. */
export type TableLayout = { plain: PlainTable } | { plain: undefined; reason: string };

/** The answer of `lake_table_layout` (migration 0112). */
export interface StoredLayout {
  tableId: number;
  folders: { path: string; isRelative: boolean }[];
  /** Null of a table that is just being dropped. */
  columns: { id: number; name: string; type: string; parent: number | null; default: string | null }[] | null;
  files: (StoredFile & { id: number; mapping: number | null })[];
  deletions: (StoredFile & { file: number })[];
  /** Mapping, name in the file, field id, id of the parent, whether it is part of a path. */
  mappings: [number, string, number, number | null, boolean][];
  /** Data file and position. */
  inlinedDeletions: [number, number][];
  inlined: { types: string[]; values: (string | null)[][] } | null;
  /** About how much they are; with more than the limit, `inlined` is null. */
  inlinedBytes: number;
  /** Whether rows are inlined that were written before the last change of its columns. */
  hasOldRows: boolean;
}

interface StoredFile {
  path: string;
  isRelative: boolean;
  format: string;
  rows: number;
  isEncrypted: boolean;
}

/** After more commits than these, everything is read again. */
export const mostChanges = 500;
/** A table with more is read by DuckLake, which leaves out files by their statistics. */
export const mostFiles = 64;
/** Rows and deletions that are carried from the catalog. */
export const mostRows = 1_000;
const mostRowBytes = 1_048_576;
/** Each is a scan of its own. */
const mostGroups = 16;
const mostFilesWithDeletions = 8;
const mostDeletions = 100_000;

const typeNames: Readonly<Record<string, string>> = {
  ...{ boolean: 'BOOLEAN', int8: 'TINYINT', int16: 'SMALLINT', int32: 'INTEGER', int64: 'BIGINT' },
  ...{ uint8: 'UTINYINT', uint16: 'USMALLINT', uint32: 'UINTEGER', uint64: 'UBIGINT' },
  ...{ float32: 'FLOAT', float64: 'DOUBLE', varchar: 'VARCHAR', json: 'JSON', blob: 'BLOB', uuid: 'UUID' },
  ...{ date: 'DATE', time: 'TIME', timestamp: 'TIMESTAMP', timestamptz: 'TIMESTAMP WITH TIME ZONE' },
};

/** Types whose values in the catalog are text that the engine reads as the same value. */
const carried =
  /^(boolean|u?int(8|16|32|64)|float(32|64)|decimal.*|varchar|json|uuid|date|time|timestamp|timestamptz)$/;

/** DuckDB's name of a type of DuckLake's; undefined for those that only DuckLake reads. */
function engineType(type: string): string | undefined {
  return typeNames[type] ?? (/^decimal\(\d+,\s*\d+\)$/.test(type) ? type.toUpperCase() : undefined);
}

/** What the catalog says of tables at its newest snapshot. */
export interface LookedAt {
  snapshot_id: number;
  /** How often the names and rights of its organization have changed. */
  names_version: number;
  /** What each commit after the last look changed. */
  changes: (string | null)[] | null;
  /** By the service's id of the table. */
  versions: Record<string, number> | null;
  /** The text of a `StoredLayout` for each name. */
  layouts?: (string | null)[];
}

/** Looks at tables, by id, and reads what those of these names consist of, at one moment. */
export async function lookAtTables(
  pool: Pick<pg.Pool, 'query'>,
  { organizationId, schemaName }: { organizationId: string; schemaName: string },
  { since, ids, names }: { since: number; ids: readonly string[]; names?: readonly string[] },
): Promise<LookedAt> {
  const schema = identifier(schemaName);
  const layouts = `, ARRAY(SELECT public.lake_table_layout($4, n, ${mostFiles}, ${mostRows}, ${mostRowBytes})::text
    FROM unnest($5::text[]) WITH ORDINALITY AS named(n, place) ORDER BY place) AS layouts`;
  const { rows } = await pool.query<LookedAt>(
    `SELECT s.snapshot_id, ARRAY(
         SELECT changes_made FROM ${schema}.ducklake_snapshot_changes
         WHERE snapshot_id > $1 AND $1 >= 0 LIMIT ${mostChanges + 1}) AS changes,
       (SELECT json_object_agg(table_id, version) FROM ${schema}.workspace_table
        WHERE table_id = ANY ($2)) AS versions,
       coalesce((SELECT version FROM public.names_versions WHERE organization_id = $3), 0) AS names_version
       ${names === undefined ? '' : layouts}
     FROM (SELECT max(snapshot_id) AS snapshot_id FROM ${schema}.ducklake_snapshot) s`,
    [since, ids, organizationId, ...(names === undefined ? [] : [schemaName, names])],
  );
  return rows[0]!;
}

type WithColumns = Omit<StoredLayout, 'columns'> & { columns: NonNullable<StoredLayout['columns']> };

let layouts = 0;

/** Decides how a table is read. `dataPath` is where its lake's files are. */
export function layoutOf({ columns: found, ...rest }: StoredLayout, dataPath: string): TableLayout {
  const byDuckLake = (reason: string): TableLayout => ({ plain: undefined, reason });
  if (found === null) return byDuckLake('it has no columns');
  const stored = { ...rest, columns: found };
  if (stored.files.length > mostFiles) return byDuckLake('it has many files');
  if (stored.columns.some(({ parent }) => parent !== null)) return byDuckLake('it has nested columns');
  if (stored.columns.some((column) => column.default !== null)) return byDuckLake('a column has a default');
  if (stored.hasOldRows) return byDuckLake('it has rows from before a change of its columns');
  const columns = stored.columns.map(({ name, type }) => ({ name, type: engineType(type) }));
  if (!columns.every(isReadable)) return byDuckLake('only the lake can read the type of a column');
  if ([...stored.files, ...stored.deletions].some((file) => file.isEncrypted || file.format !== 'parquet'))
    return byDuckLake('a file has another format');

  const rows = carriedRows(stored);
  if (rows === undefined)
    return byDuckLake('it has many or large rows, or rows of a rare type, that are in no file yet');
  const files = groupedFiles(stored, dataPath);
  if (files === undefined)
    return byDuckLake('its files have many deletions, or columns that have to be mapped');
  layouts += 1;
  return { plain: { key: `plain_${stored.tableId}_${layouts}`, columns, files, rows } };
}

const isReadable = (column: { name: string; type: string | undefined }): column is PlainColumn =>
  column.type !== undefined;

/** Undefined if there are too many, or if a value may not be the same afterwards. */
function carriedRows({ inlined, inlinedBytes, columns }: WithColumns): (string | null)[][] | undefined {
  if (inlinedBytes > mostRowBytes) return undefined;
  if (inlined === null) return [];
  const { types, values } = inlined;
  const isCarried = columns.every(({ type }) => carried.test(type));
  if (values.length > mostRows || types.length !== columns.length || !isCarried) return undefined;
  const isBytes = types.map((type) => type === 'bytea');
  return values.map((row) =>
    row.map((value, index) =>
      value !== null && isBytes[index] === true ? Buffer.from(value, 'hex').toString() : value,
    ),
  );
}

/** Undefined if only DuckLake can read them. */
function groupedFiles(stored: WithColumns, dataPath: string): PlainFiles[] | undefined {
  const { files, deletions, inlinedDeletions } = stored;
  const deleted = new Set([...deletions.map(({ file }) => file), ...inlinedDeletions.map(([file]) => file)]);
  const deletedRows = deletions.reduce((sum, { rows }) => sum + rows, 0);
  if (deleted.size > mostFilesWithDeletions || deletedRows > mostDeletions) return undefined;
  if (inlinedDeletions.length > mostRows) return undefined;

  const url = (file: StoredFile) => fileUrl(stored, dataPath, file);
  const groups: PlainFiles[] = [];
  let last: { group: PlainFiles; signature: string } | undefined;
  for (const file of files) {
    const sources = sourcesOf(stored, file.mapping);
    if (sources === undefined) return undefined;
    // Each batch has a mapping of its own, and most are alike.
    const signature = JSON.stringify(sources);
    if (last?.signature === signature && !deleted.has(file.id)) {
      last.group.urls.push(url(file));
      last.group.rowCount += file.rows;
      continue;
    }
    const listed = deletions.find((each) => each.file === file.id);
    const positions = inlinedDeletions.filter(([id]) => id === file.id).map(([, position]) => position);
    const gone = { url: listed === undefined ? undefined : url(listed), positions };
    const group: PlainFiles = {
      ...{ urls: [url(file)], rowCount: file.rows, sources },
      deletions: deleted.has(file.id) ? gone : undefined,
    };
    groups.push(group);
    last = deleted.has(file.id) ? undefined : { group, signature };
  }
  return groups.length > mostGroups ? undefined : groups;
}

/** Where each column is in files of a mapping; undefined if it cannot be said in a simple way. */
function sourcesOf(
  { columns, mappings }: WithColumns,
  mapping: number | null,
): PlainFiles['sources'] | undefined {
  if (mapping === null) return columns.map(({ id }) => id);
  const mapped = mappings.filter(([id]) => id === mapping);
  const names = new Set(mapped.map(([, name]) => name.toLowerCase()));
  const isNested = mapped.some(([, , , parent, isPartition]) => parent !== null || isPartition);
  if (isNested || names.size < mapped.length) return undefined;
  const byId = new Map(mapped.map(([, name, id]) => [id, name]));
  const sources = columns.map(({ id }) => byId.get(id) ?? null);
  return sources.every((source) => source === null) ? undefined : sources;
}

function fileUrl({ folders }: WithColumns, dataPath: string, { path, isRelative }: StoredFile): string {
  if (!isRelative) return path;
  let root = dataPath;
  for (const folder of folders) root = folder.isRelative ? root + folder.path : folder.path;
  return root + path;
}
