/** What clients of PostgreSQL ask about its catalog, with what must come back of a table and a view. */
export interface Asked {
  client: string;
  sql: string;
  values?: readonly string[];
  /** The rows, or some of them. */
  rows?: unknown[][];
  /** Whether there must be at least one row. */
  isEmpty?: boolean;
}

export const corpus: readonly Asked[] = [
  {
    client: 'psql \\dt',
    sql: `SELECT n.nspname as "Schema", c.relname as "Name",
  CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' END as "Type",
  pg_catalog.pg_get_userbyid(c.relowner) as "Owner"
FROM pg_catalog.pg_class c
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam
WHERE c.relkind IN ('r','p','')
      AND n.nspname <> 'pg_catalog' AND n.nspname !~ '^pg_toast' AND n.nspname <> 'information_schema'
  AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY 1,2`,
    rows: [['main', 'orders', 'table', 'somebody']],
  },
  {
    client: 'psql \\d orders, which table',
    sql: `SELECT c.oid > 16000, n.nspname, c.relname
FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname OPERATOR(pg_catalog.~) '^(orders)$' COLLATE pg_catalog.default
  AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 2, 3`,
    rows: [[true, 'main', 'orders']],
  },
  {
    client: 'psql \\d orders, its columns',
    sql: `SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d
   WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull,
  (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
   WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
  a.attidentity, a.attgenerated
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = 'orders'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    rows: [
      ['id', 'bigint', null, true, null, '', ''],
      ['amount', 'numeric(18,2)', null, false, null, '', ''],
      ['tags', 'text[]', null, false, null, '', ''],
    ],
  },
  {
    client: 'psql tab completion',
    sql: `SELECT pg_catalog.quote_ident(c.relname) FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'v')
      AND substring(pg_catalog.quote_ident(c.relname),1,3)='ord' AND pg_catalog.pg_table_is_visible(c.oid)`,
    rows: [['orders']],
  },
  {
    client: 'psql \\d, publications',
    sql: `SELECT pubname, (CASE WHEN pr.prattrs IS NOT NULL THEN (SELECT string_agg(attname, ', ')
      FROM pg_catalog.generate_series(0, pg_catalog.array_upper(pr.prattrs::pg_catalog.int2[], 1)) s,
        pg_catalog.pg_attribute WHERE attrelid = pr.prrelid AND attnum = prattrs[s]) ELSE NULL END)
      FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel pr ON p.oid = pr.prpubid`,
    isEmpty: true,
  },
  {
    client: 'JDBC getTables',
    sql: `SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME,
 CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema' WHEN true THEN 'SYSTEM TABLE'
 WHEN false THEN CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END ELSE NULL END AS TABLE_TYPE,
 d.description AS REMARKS
 FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c
 LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 and d.classoid = 'pg_class'::regclass)
 LEFT JOIN pg_catalog.pg_class dc ON (d.classoid=dc.oid AND dc.relname='pg_class')
 WHERE c.relnamespace = n.oid AND n.nspname LIKE 'main' AND c.relkind IN ('r', 'v') ORDER BY TABLE_NAME`,
    rows: [
      [null, 'main', 'large', 'VIEW', null],
      [null, 'main', 'orders', 'TABLE', 'One row an order.'],
    ],
  },
  {
    client: 'JDBC getPrimaryKeys',
    sql: `SELECT result.TABLE_NAME, result.COLUMN_NAME, result.KEY_SEQ, result.PK_NAME FROM (
 SELECT n.nspname AS TABLE_SCHEM, ct.relname AS TABLE_NAME, a.attname AS COLUMN_NAME,
 (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, ci.relname AS PK_NAME,
 information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM
 FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)
 JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)
 JOIN pg_catalog.pg_index i ON ( a.attrelid = i.indrelid)
 JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
 WHERE true AND n.nspname = 'main' AND ct.relname = 'orders' AND i.indisprimary) result
 where result.A_ATTNUM = (result.KEYS).x ORDER BY result.table_name, result.pk_name, result.key_seq`,
    rows: [['orders', 'id', 1, 'orders_key']],
  },
  {
    client: 'JDBC getSchemas',
    sql: `SELECT nspname AS TABLE_SCHEM, NULL AS TABLE_CATALOG FROM pg_catalog.pg_namespace
 WHERE nspname <> 'pg_toast' AND (nspname !~ '^pg_temp_' OR nspname = (pg_catalog.current_schemas(true))[1])
 AND (nspname !~ '^pg_toast_temp_') ORDER BY TABLE_SCHEM`,
    rows: [
      ['information_schema', null],
      ['main', null],
      ['pg_catalog', null],
    ],
  },
  {
    client: 'SQLAlchemy get_table_comment',
    sql: `SELECT pg_catalog.pg_class.relname, pg_catalog.pg_description.description FROM pg_catalog.pg_class
 LEFT OUTER JOIN pg_catalog.pg_description ON pg_catalog.pg_class.oid = pg_catalog.pg_description.objoid
 AND pg_catalog.pg_description.objsubid = 0
 AND pg_catalog.pg_description.classoid = CAST('pg_catalog.pg_class' AS REGCLASS)
 JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
 WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p', 'f', 'v', 'm'])
 AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog'
 AND pg_catalog.pg_class.relname IN ('orders')`,
    rows: [['orders', 'One row an order.']],
  },
  {
    client: 'SQLAlchemy get_schema_names',
    sql: `SELECT pg_catalog.pg_namespace.nspname FROM pg_catalog.pg_namespace
 WHERE pg_catalog.pg_namespace.nspname NOT LIKE 'pg/_' || '%' ESCAPE '/' ORDER BY pg_catalog.pg_namespace.nspname`,
    rows: [['information_schema'], ['main']],
  },
  {
    client: 'Metabase, tables with descriptions',
    sql: `SELECT n.nspname AS schema, c.relname AS name, CASE c.relkind WHEN 'r' THEN 'TABLE' ELSE 'VIEW' END AS type,
 d.description FROM pg_catalog.pg_class AS c INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
 LEFT JOIN pg_catalog.pg_description AS d ON c.oid = d.objoid AND d.objsubid = 0
 WHERE c.relnamespace = n.oid AND n.nspname !~ '^information_schema|catalog_history|pg_' AND c.relkind in ('r', 'v')
 ORDER BY name ASC`,
    rows: [
      ['main', 'large', 'VIEW', null],
      ['main', 'orders', 'TABLE', 'One row an order.'],
    ],
  },
  {
    client: 'Metabase, privileges',
    sql: `SELECT t.schemaname AS schema, t.objectname AS table, pg_catalog.has_any_column_privilege(current_user,
 '"' || replace(t.schemaname, '"', '""') || '"' || '.' || '"' || replace(t.objectname, '"', '""') || '"', 'SELECT') as select
 FROM (SELECT schemaname, tablename AS objectname FROM pg_catalog.pg_tables) t
 WHERE t.schemaname !~ '^pg_' AND t.schemaname <> 'information_schema'
 AND pg_catalog.has_schema_privilege(current_user, t.schemaname, 'USAGE')`,
    rows: [['main', 'orders', true]],
  },
  {
    client: 'Grafana, tables',
    sql: `SELECT CASE WHEN quote_ident(table_schema) IN (SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
 FROM generate_series(1, array_upper(string_to_array(current_setting('search_path'),','), 1)) as i,
 string_to_array(current_setting('search_path'),',') s) THEN quote_ident(table_name)
 ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table" FROM information_schema.tables
 WHERE quote_ident(table_schema) NOT IN ('information_schema','pg_catalog') ORDER BY 1`,
    rows: [['large'], ['orders']],
  },
  {
    client: 'Grafana, columns',
    sql: `SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns
 WHERE quote_ident(table_name) = 'orders' ORDER BY ordinal_position`,
    rows: [
      ['id', 'bigint'],
      ['amount', 'numeric'],
      ['tags', 'ARRAY'],
    ],
  },
  {
    client: 'Superset, Power BI and others, keys',
    sql: `SELECT kcu.column_name, tc.constraint_type FROM information_schema.table_constraints tc
 JOIN information_schema.key_column_usage kcu ON tc.constraint_name = kcu.constraint_name
 WHERE tc.table_name = $1`,
    values: ['orders'],
    rows: [['id', 'PRIMARY KEY']],
  },
  {
    client: 'DBeaver, at its start',
    sql: 'SELECT current_schema(), session_user',
    rows: [['main', 'somebody']],
  },
  {
    client: 'DBeaver, the database',
    sql: `SELECT db.oid > 0, db.datname FROM pg_catalog.pg_database db WHERE datname = $1`,
    values: ['sales'],
    rows: [[true, 'sales']],
  },
  {
    client: 'Npgsql, which types there are',
    sql: `SELECT ns.nspname, typ.typname, typ.typtype, CASE WHEN proc.proname='array_recv' THEN typ.typelem END AS elem
 FROM pg_type AS typ JOIN pg_namespace AS ns ON (ns.oid = typ.typnamespace)
 LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid) LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive
 WHERE typ.typname IN ('int4', '_int4') ORDER BY typ.typname`,
    rows: [
      ['pg_catalog', '_int4', 'b', 23],
      ['pg_catalog', 'int4', 'b', null],
    ],
  },
  { client: 'anything, enums', sql: 'SELECT * FROM pg_catalog.pg_enum', isEmpty: true },
  { client: 'anything, functions', sql: 'SELECT * FROM information_schema.routines', isEmpty: true },
  { client: 'anything, the server', sql: `SELECT version() LIKE 'PostgreSQL 18%'`, rows: [[true]] },
  { client: 'anything, a setting', sql: `SELECT current_setting('server_version_num')`, rows: [['180000']] },
  {
    client: 'anything, names of relations',
    sql: `SELECT i.indrelid::regclass::text, i.indrelid = 'main.orders'::regclass::oid, 'main'::regnamespace::oid
 FROM pg_index i`,
    rows: [['orders', true, 2200]],
  },
];
