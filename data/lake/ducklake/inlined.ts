import type pg from 'pg';
import { identifier } from '../sql.ts';
import { inlinedDeletionsName } from './catalog.ts';

type Queryable = Pick<pg.Pool, 'query'>;

/** A catalog table of inlined rows; a lake table has one for each schema it had. */
export interface InlinedTable {
  hasRows: boolean;
  /** Created for a schema that the table no longer has. */
  isOutlived: boolean;
}

/** The inlined-row tables that the lake's registry lists for one table. */
export async function inlinedTables(
  pool: Queryable,
  schemaName: string,
  tableId: number,
): Promise<InlinedTable[]> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ name: string; is_outlived: boolean }>(
    `SELECT i.table_name AS name, i.schema_version < (
       SELECT max(v.schema_version) FROM ${schema}.ducklake_schema_versions v WHERE v.table_id = i.table_id) AS is_outlived
     FROM ${schema}.ducklake_inlined_data_tables i WHERE i.table_id = $1`,
    [tableId],
  );
  const found: InlinedTable[] = [];
  for (const { name, is_outlived: isOutlived } of rows)
    found.push({ isOutlived, hasRows: await holdsRows(pool, schemaName, name) });
  return found;
}

/** True where a deletion is still kept in the catalog instead of a file. */
export async function hasInlinedDeletions(
  pool: Queryable,
  schemaName: string,
  tableId: number,
): Promise<boolean> {
  const name = inlinedDeletionsName(tableId);
  const { rows } = await pool.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    `${identifier(schemaName)}.${identifier(name)}`,
  ]);
  return rows[0]?.exists === true && holdsRows(pool, schemaName, name);
}

async function holdsRows(pool: Queryable, schemaName: string, name: string): Promise<boolean> {
  const { rows } = await pool.query<{ holds: boolean }>(
    `SELECT EXISTS (SELECT FROM ${identifier(schemaName)}.${identifier(name)}) AS holds`,
  );
  return rows[0]?.holds === true;
}

/**
 * Removes the empty tables of outlived schemas from the lake's registry, because any flush would drop all
 * that are listed, for every table of the lake. The tables themselves remain for engines that still refer to
 * them.
 */
export async function forgetOutlivedTables(pool: Queryable, schemaName: string): Promise<void> {
  await pool.query('SELECT public.forget_outlived_inlined_tables($1)', [schemaName]);
}

/** Drops the tables of inlined rows and deletions whose lake table is in no kept snapshot. */
export async function dropForgottenTables(pool: Queryable, schemaName: string): Promise<void> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ name: string }>(
    `SELECT p.tablename AS name FROM pg_tables p
     WHERE p.schemaname = $1 AND p.tablename ~ '^ducklake_inlined_(data|delete)_[0-9]+(_[0-9]+)?$'
       AND NOT EXISTS (
         SELECT FROM ${schema}.ducklake_table t WHERE t.table_id = split_part(p.tablename, '_', 4)::bigint)
       AND NOT EXISTS (
         SELECT FROM ${schema}.ducklake_inlined_data_tables i WHERE i.table_name = p.tablename)`,
    [schemaName],
  );
  for (const { name } of rows) await pool.query(`DROP TABLE IF EXISTS ${schema}.${identifier(name)}`);
}

/** Tables of inlined rows with at least this many rows by PostgreSQL's own estimate, in all lakes. */
export async function inlinedTablesFrom(
  pool: Queryable,
  rowCount: number,
): Promise<{ organizationId: string; schemaName: string; name: string }[]> {
  const { rows } = await pool.query<{ organization_id: string; schema: string; name: string }>(
    `SELECT l.organization_id, s.schemaname AS schema, s.relname AS name
     FROM pg_stat_user_tables s JOIN lakes l ON l.schema_name = s.schemaname
     WHERE s.relname ~ '^ducklake_inlined_data_[0-9]+_[0-9]+$' AND s.n_live_tup >= $1`,
    [rowCount],
  );
  return rows.map((row) => ({ organizationId: row.organization_id, schemaName: row.schema, name: row.name }));
}

/** Whether a table of inlined rows belongs to the current schema of a live table. */
export async function isOfPresentSchema(pool: Queryable, schemaName: string, name: string): Promise<boolean> {
  const schema = identifier(schemaName);
  const { rowCount } = await pool.query(
    `SELECT FROM ${schema}.ducklake_inlined_data_tables i
     JOIN ${schema}.ducklake_table t ON t.table_id = i.table_id AND t.end_snapshot IS NULL
     WHERE i.table_name = $1 AND i.schema_version = (
       SELECT max(v.schema_version) FROM ${schema}.ducklake_schema_versions v WHERE v.table_id = i.table_id)`,
    [name],
  );
  return rowCount !== 0;
}
