import { withPostgres } from './postgres-session.ts';
import type { SourceColumn, SourceKind, SourceResource } from './source.ts';

interface ListedRelation {
  resource: string;
  name: string;
  kind: 'table' | 'view';
  estimated_rows: number | null;
  columns: SourceColumn[] | null;
  key_columns: string[] | null;
}

/**
 * Relations that the user may read. A resource is `schema.name`, each part quoted as in SQL, so that it
 * identifies one relation whatever its name contains. A relation that was never analysed has no estimate.
 */
const listStatement = `
  SELECT r.resource, r.relname AS name, r.kind, r.estimated_rows,
    (SELECT json_agg(json_build_object('name', a.attname, 'dataType', format_type(a.atttypid, a.atttypmod),
                                       'nullable', NOT a.attnotnull) ORDER BY a.attnum)
     FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
    (SELECT json_agg(a.attname ORDER BY k.place)
     FROM pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
     WHERE i.indrelid = r.oid AND i.indisprimary) AS key_columns
  FROM (
    SELECT c.oid, c.relname,
      quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS resource,
      CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS kind,
      CASE WHEN c.reltuples < 0 OR c.relkind = 'v' THEN NULL ELSE c.reltuples::float8 END AS estimated_rows
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname <> 'information_schema' AND left(n.nspname, 3) <> 'pg_'
      AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  ) AS r
  WHERE left(r.resource, length($1)) = $1 AND ($2::text IS NULL OR r.resource COLLATE "C" > $2)
  ORDER BY r.resource COLLATE "C" LIMIT $3`;

export const postgresSource: SourceKind = {
  test: (target, signal) =>
    withPostgres(target, signal, async (client) => {
      await client.query('SELECT count(*) FROM pg_catalog.pg_namespace');
    }),
  resources: (target, { prefix, after, limit }, signal) =>
    withPostgres(target, signal, async (client) => {
      const { rows } = await client.query<ListedRelation>(listStatement, [prefix, after ?? null, limit + 1]);
      return rows.map(
        ({ resource, name, kind, estimated_rows, columns, key_columns }): SourceResource => ({
          resource,
          name,
          kind,
          columns: columns ?? [],
          estimatedRows: estimated_rows === null ? null : Math.round(estimated_rows),
          keyColumns: key_columns ?? [],
        }),
      );
    }),
};
