import type pg from 'pg';
import { identifier } from '../sql.ts';

/** A file that some kept snapshot of the lake reads. */
export interface CataloguedFile {
  /** `s3://bucket/…` */
  url: string;
  sizeBytes: number;
}

const filesAtOnce = 10_000;

/** All data and deletion files that a catalog names, in pages. */
export async function* cataloguedFiles(
  client: Pick<pg.ClientBase, 'query'>,
  schemaName: string,
): AsyncGenerator<CataloguedFile[]> {
  const schema = identifier(schemaName);
  for (const [table, id] of [
    ['ducklake_data_file', 'data_file_id'],
    ['ducklake_delete_file', 'delete_file_id'],
  ] as const) {
    for (let last = -1; ; ) {
      const { rows } = await client.query<{ id: number; url: string; size: number }>(
        `WITH m AS (SELECT value AS root FROM ${schema}.ducklake_metadata WHERE key = 'data_path' AND scope IS NULL)
         SELECT f.${id}::bigint AS id, f.file_size_bytes AS size,
           CASE WHEN NOT f.path_is_relative THEN f.path
             ELSE CASE WHEN NOT t.path_is_relative THEN t.path
               ELSE CASE WHEN NOT s.path_is_relative THEN s.path ELSE m.root || s.path END || t.path END || f.path
           END AS url
         FROM ${schema}.${table} f
         JOIN LATERAL (
           SELECT path, path_is_relative, schema_id FROM ${schema}.ducklake_table t
           WHERE t.table_id = f.table_id ORDER BY begin_snapshot DESC LIMIT 1) t ON true
         JOIN LATERAL (
           SELECT path, path_is_relative FROM ${schema}.ducklake_schema s
           WHERE s.schema_id = t.schema_id ORDER BY begin_snapshot DESC LIMIT 1) s ON true
         CROSS JOIN m
         WHERE f.${id} > $1 ORDER BY f.${id} LIMIT ${filesAtOnce}`,
        [last],
      );
      if (rows.length > 0) yield rows.map(({ url, size }) => ({ url, sizeBytes: size }));
      if (rows.length < filesAtOnce) break;
      last = rows.at(-1)!.id;
    }
  }
}

/** The rows of a table in the newest snapshot, counted in the catalog. */
export interface CountedTable {
  name: string;
  rows: number;
}

/** Counts the rows of every table: of files, less what is deleted, and those in the catalog itself. */
export async function countedTables(
  client: Pick<pg.ClientBase, 'query'>,
  schemaName: string,
): Promise<CountedTable[]> {
  const schema = identifier(schemaName);
  const { rows: tables } = await client.query<{ id: number; name: string; rows: number }>(
    `SELECT t.table_id AS id, t.table_name AS name, coalesce((
       SELECT sum(f.record_count - coalesce((
         SELECT sum(d.delete_count) FROM ${schema}.ducklake_delete_file d
         WHERE d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL), 0))
       FROM ${schema}.ducklake_data_file f WHERE f.table_id = t.table_id AND f.end_snapshot IS NULL), 0)::bigint AS rows
     FROM ${schema}.ducklake_table t WHERE t.end_snapshot IS NULL`,
  );
  const { rows: inlined } = await client.query<{ id: number; name: string }>(
    `SELECT table_id AS id, table_name AS name FROM ${schema}.ducklake_inlined_data_tables`,
  );
  const counts: CountedTable[] = [];
  for (const table of tables) {
    let rows = table.rows;
    for (const { name } of inlined.filter(({ id }) => id === table.id))
      rows += await countIn(client, schema, name);
    counts.push({ name: table.name, rows: rows - (await inlinedDeletions(client, schema, table.id)) });
  }
  return counts;
}

async function countIn(client: Pick<pg.ClientBase, 'query'>, schema: string, name: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*) FROM ${schema}.${identifier(name)} WHERE end_snapshot IS NULL`,
  );
  return rows[0]!.count;
}

async function inlinedDeletions(
  client: Pick<pg.ClientBase, 'query'>,
  schema: string,
  tableId: number,
): Promise<number> {
  const name = `${schema}.ducklake_inlined_delete_${tableId}`;
  const { rows: found } = await client.query<{ exists: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS exists',
    [name],
  );
  if (found[0]?.exists !== true) return 0;
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*) FROM ${name} d JOIN ${schema}.ducklake_data_file f ON f.data_file_id = d.file_id
     WHERE f.end_snapshot IS NULL`,
  );
  return rows[0]!.count;
}
