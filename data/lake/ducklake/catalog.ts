/**
 * What the service knows of DuckLake's own tables in an organization's schema. Everything that reads, indexes
 * or adds triggers to one is in this folder, except for the functions of migrations 0009 and 0087.
 */

/** The catalog format version, and the build of the extension for DuckDB 1.5.5 that wrote it. */
export const writtenAgainst = { format: '1.0', extension: 'd8a1881e' } as const;

/** Columns by table, each with its type name in PostgreSQL's information_schema. */
export type CatalogTables = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The tables of every lake, with the columns that the queries of this folder use. */
export const neededTables: CatalogTables = {
  ducklake_metadata: { key: 'character varying', value: 'character varying' },
  ducklake_snapshot: {
    snapshot_id: 'bigint',
    snapshot_time: 'timestamp with time zone',
    schema_version: 'bigint',
    next_catalog_id: 'bigint',
    next_file_id: 'bigint',
  },
  ducklake_snapshot_changes: {
    snapshot_id: 'bigint',
    changes_made: 'character varying',
    author: 'character varying',
    commit_message: 'character varying',
    commit_extra_info: 'character varying',
  },
  ducklake_table: {
    table_id: 'bigint',
    table_name: 'character varying',
    begin_snapshot: 'bigint',
    end_snapshot: 'bigint',
  },
  ducklake_schema_versions: { table_id: 'bigint', schema_version: 'bigint' },
  ducklake_column: {
    table_id: 'bigint',
    column_id: 'bigint',
    column_order: 'bigint',
    column_name: 'character varying',
    column_type: 'character varying',
    nulls_allowed: 'boolean',
    parent_column: 'bigint',
    begin_snapshot: 'bigint',
    end_snapshot: 'bigint',
  },
  ducklake_column_tag: {
    table_id: 'bigint',
    column_id: 'bigint',
    key: 'character varying',
    value: 'character varying',
    end_snapshot: 'bigint',
  },
  ducklake_data_file: {
    data_file_id: 'bigint',
    table_id: 'bigint',
    record_count: 'bigint',
    file_size_bytes: 'bigint',
    path: 'character varying',
    begin_snapshot: 'bigint',
    end_snapshot: 'bigint',
  },
  ducklake_delete_file: {
    delete_file_id: 'bigint',
    data_file_id: 'bigint',
    table_id: 'bigint',
    delete_count: 'bigint',
    begin_snapshot: 'bigint',
    partial_max: 'bigint',
    end_snapshot: 'bigint',
  },
  ducklake_file_column_stats: {
    data_file_id: 'bigint',
    table_id: 'bigint',
    column_id: 'bigint',
    null_count: 'bigint',
    min_value: 'character varying',
    max_value: 'character varying',
  },
  ducklake_table_stats: { table_id: 'bigint', record_count: 'bigint', next_row_id: 'bigint' },
  ducklake_table_column_stats: {
    table_id: 'bigint',
    column_id: 'bigint',
    contains_null: 'boolean',
    contains_nan: 'boolean',
    min_value: 'character varying',
    max_value: 'character varying',
    extra_stats: 'character varying',
  },
  ducklake_inlined_data_tables: {
    table_id: 'bigint',
    table_name: 'character varying',
    schema_version: 'bigint',
  },
};

/**
 * The catalog tables of one lake table: for its inlined rows of one schema, and for its inlined deletions.
 */
export function neededTablesOf(tableId: number, schemaVersion: number): CatalogTables {
  return {
    [`ducklake_inlined_data_${tableId}_${schemaVersion}`]: {
      row_id: 'bigint',
      begin_snapshot: 'bigint',
      end_snapshot: 'bigint',
    },
    [inlinedDeletionsName(tableId)]: { file_id: 'bigint', row_id: 'bigint', begin_snapshot: 'bigint' },
  };
}

/** DuckLake creates this table with the first deletion that it keeps in the catalog. */
export function inlinedDeletionsName(tableId: number): string {
  return `ducklake_inlined_delete_${tableId}`;
}

/** Needed columns that are missing or have another type, as one sentence each. */
export function missingOf(needed: CatalogTables, actual: CatalogTables): string[] {
  return Object.entries(needed).flatMap(([table, columns]) => {
    const found = actual[table];
    if (found === undefined) return [`The table ${table} is missing.`];
    return Object.entries(columns).flatMap(([column, type]) => {
      if (found[column] === undefined) return [`The column ${table}.${column} is missing.`];
      if (found[column] === type) return [];
      return [`The column ${table}.${column} is ${found[column]}, not ${type}.`];
    });
  });
}

/** Prefix of the columns that DuckLake adds to the files it writes; no table's column may start with it. */
export const internalColumnPrefix = '_ducklake_internal_';

/**
 * Columns that the catalog's table of inlined rows has already, or that PostgreSQL reads as something else:
 * DuckLake writes them there without quotes. The last one is how DuckDB names a row's place in its file: it
 * does not read that of files with such a column.
 */
const reservedColumns: ReadonlySet<string> = new Set([
  ...['row_id', 'begin_snapshot', 'end_snapshot'],
  ...['tableoid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax'],
  ...['current_catalog', 'current_date', 'current_role', 'current_schema', 'current_time'],
  ...['current_timestamp', 'current_user', 'localtime', 'localtimestamp', 'session_user', 'system_user'],
  'file_row_number',
]);

/** Whether no table of a lake can have a column of this name. */
export function isReservedColumn(name: string): boolean {
  const lower = name.toLowerCase();
  return reservedColumns.has(lower) || lower.startsWith(internalColumnPrefix);
}
