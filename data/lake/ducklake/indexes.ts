import { identifier } from '../sql.ts';

/**
 * By what DuckLake and the service look rows of the catalog up. DuckLake makes primary keys only, so each
 * commit would read these tables whole: they grow with the lake's tables, columns and files.
 */
const lookedUpBy: readonly (readonly [table: string, by: string])[] = [
  ['ducklake_table', 'table_id'],
  ['ducklake_table', 'lower(table_name)'],
  ['ducklake_column', 'table_id'],
  ['ducklake_column_tag', 'table_id'],
  ['ducklake_inlined_data_tables', 'table_id'],
  ['ducklake_schema_versions', 'table_id'],
  ['ducklake_table_stats', 'table_id'],
  ['ducklake_table_column_stats', 'table_id, column_id'],
  ['ducklake_data_file', 'table_id'],
  ['ducklake_delete_file', 'table_id'],
  ['ducklake_file_column_stats', 'table_id, column_id'],
];

/** The indexes that a lake needs on DuckLake's tables; safe to repeat. */
export const indexStatements = (schemaName: string): string[] =>
  lookedUpBy.map(([table, by]) => {
    const name = `${table}_by_${by.match(/\w+/g)!.join('_')}`;
    return `CREATE INDEX IF NOT EXISTS ${name} ON ${identifier(schemaName)}.${table} (${by})`;
  });
