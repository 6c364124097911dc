import type pg from 'pg';
import { identifier } from '../sql.ts';

/** Columns of the catalog with addresses; those of files are below the lake's path, and rarely absolute. */
const addresses = [
  ['ducklake_metadata', 'value', `key = 'data_path'`],
  ['ducklake_schema', 'path', 'NOT path_is_relative'],
  ['ducklake_table', 'path', 'NOT path_is_relative'],
  ['ducklake_data_file', 'path', 'NOT path_is_relative'],
  ['ducklake_delete_file', 'path', 'NOT path_is_relative'],
  ['ducklake_files_scheduled_for_deletion', 'path', 'NOT path_is_relative'],
] as const;

/** Rewrites a lake's catalog for another bucket, in which its files have the same keys. Safe to repeat. */
export async function moveLake(
  client: Pick<pg.ClientBase, 'query'>,
  schemaName: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  if (from === to) return;
  for (const [table, column, condition] of addresses)
    await client.query(
      `UPDATE ${identifier(schemaName)}.${table}
       SET ${column} = 's3://' || $2::text || substr(${column}, length('s3://' || $1::text) + 1)
       WHERE ${condition} AND starts_with(${column}, 's3://' || $1::text || '/')`,
      [from, to],
    );
}
