/** Query that checks whether the schema named `$1` has the catalog of a lake, and returns its quoted name. */
export const findCatalogQuery = `SELECT quote_ident($1) AS schema, to_regclass(quote_ident($1) || '.ducklake_table') IS NOT NULL AS found`;

/** Counts the tables; any role that can read the catalog can run it. */
export function countTablesQuery(schema: string): string {
  return `SELECT count(*) FROM ${schema}.ducklake_table`;
}

/**
 * The tables of a lake's latest snapshot, from its catalog alone: those that begin with `$1` and come after
 * `$2`, at most `$3`. `schema` is quoted where necessary.
 */
export function otherTablesQuery(schema: string): string {
  return `
  SELECT r.resource, r.name, r.estimated_rows,
    (SELECT json_agg(json_build_object('name', c.column_name, 'dataType', c.column_type, 'nullable', c.nulls_allowed)
                     ORDER BY c.column_order)
     FROM ${schema}.ducklake_column c
     WHERE c.table_id = r.table_id AND c.end_snapshot IS NULL AND c.parent_column IS NULL) AS columns
  FROM (
    SELECT t.table_id, t.table_name AS name, quote_ident(s.schema_name) || '.' || quote_ident(t.table_name) AS resource,
      (SELECT x.record_count::float8 FROM ${schema}.ducklake_table_stats x WHERE x.table_id = t.table_id) AS estimated_rows
    FROM ${schema}.ducklake_table t JOIN ${schema}.ducklake_schema s ON s.schema_id = t.schema_id
    WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL
  ) AS r
  WHERE left(r.resource, length($1)) = $1 AND ($2::text IS NULL OR r.resource COLLATE "C" > $2)
  ORDER BY r.resource COLLATE "C" LIMIT $3`;
}
