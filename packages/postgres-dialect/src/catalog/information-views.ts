import type { ViewDefinition } from './view-definition.ts';

const database = 'current_database()';
const relations = 'main.own_relations AS r';
const keyColumns = `main.own_keys AS k JOIN main.own_relations AS r ON r.oid = k.relid
  CROSS JOIN LATERAL (SELECT unnest(k.nums) AS num, unnest(range(1, len(k.nums) + 1)) AS n) AS part
  JOIN main.own_columns AS c ON c.relid = k.relid AND c.num = part.num`;
const keyNames = {
  ...{ constraint_catalog: database, constraint_schema: `'main'`, constraint_name: 'k.name' },
  ...{ table_catalog: database, table_schema: `'main'`, table_name: 'r.name' },
};
const grants = {
  ...{
    grantor: 'current_user()',
    grantee: 'current_user()',
    table_catalog: database,
    table_schema: `'main'`,
  },
  ...{ table_name: 'r.name', privilege_type: `'SELECT'`, is_grantable: `'NO'` },
};

/** The relations of the information schema that have rows. */
export const informationViews: Readonly<Record<string, ViewDefinition>> = {
  'i.information_schema_catalog_name': { from: '(SELECT 1)', columns: { catalog_name: database } },
  'i.schemata': {
    from: `(VALUES ('main'), ('pg_catalog'), ('information_schema')) AS s(name)`,
    columns: { catalog_name: database, schema_name: 's.name', schema_owner: 'current_user()' },
  },
  'i.tables': {
    from: `(SELECT 'main' AS schema, name, kind FROM main.own_relations UNION ALL
      SELECT CASE schema WHEN 11 THEN 'pg_catalog' ELSE 'information_schema' END, name, kind
      FROM main.own_system) AS r`,
    columns: {
      ...{ table_catalog: database, table_schema: 'r.schema', table_name: 'r.name' },
      ...{ table_type: `CASE r.kind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END`, is_insertable_into: `'NO'` },
    },
  },
  'i.views': {
    from: `${relations} WHERE r.kind = 'v'`,
    columns: {
      ...{
        table_catalog: database,
        table_schema: `'main'`,
        table_name: 'r.name',
        check_option: `'NONE'`,
        view_definition: 'r.definition',
      },
    },
  },
  'i.columns': {
    from: `main.own_columns AS c JOIN ${relations} ON r.oid = c.relid
      LEFT JOIN main.own_types AS t ON t.oid = c.type`,
    columns: {
      ...{ table_catalog: database, table_schema: `'main'`, table_name: 'r.name', column_name: 'c.name' },
      ...{ ordinal_position: 'c.num', is_nullable: `CASE WHEN c.isnotnull THEN 'NO' ELSE 'YES' END` },
      data_type: `CASE WHEN t.category = 'A' THEN 'ARRAY' ELSE format_type(c.type, NULL) END`,
      character_octet_length: 'CASE WHEN c.type = 25 THEN 1073741824 END',
      numeric_precision: `CASE c.type WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24
        WHEN 701 THEN 53 WHEN 1700 THEN CASE WHEN c.modifier > 0 THEN (c.modifier - 4) >> 16 END END`,
      numeric_precision_radix:
        'CASE WHEN c.type IN (20, 21, 23, 700, 701) THEN 2 WHEN c.type = 1700 THEN 10 END',
      numeric_scale: `CASE WHEN c.type IN (20, 21, 23) THEN 0
        WHEN c.type = 1700 AND c.modifier > 0 THEN (c.modifier - 4) & 65535 END`,
      datetime_precision:
        'CASE WHEN c.type IN (1083, 1114, 1184, 1186, 1266) THEN 6 WHEN c.type = 1082 THEN 0 END',
      ...{ udt_catalog: database, udt_schema: `'pg_catalog'`, udt_name: 't.name' },
      ...{ dtd_identifier: 'CAST(c.num AS VARCHAR)', is_generated: `'NEVER'`, is_updatable: `'NO'` },
    },
  },
  'i.table_constraints': {
    from: 'main.own_keys AS k JOIN main.own_relations AS r ON r.oid = k.relid',
    columns: {
      ...keyNames,
      ...{
        constraint_type: `'PRIMARY KEY'`,
        is_deferrable: `'NO'`,
        initially_deferred: `'NO'`,
        enforced: `'YES'`,
      },
      nulls_distinct: `'YES'`,
    },
  },
  'i.key_column_usage': {
    from: keyColumns,
    columns: { ...keyNames, column_name: 'c.name', ordinal_position: 'part.n' },
  },
  'i.constraint_column_usage': { from: keyColumns, columns: { ...keyNames, column_name: 'c.name' } },
  'i.constraint_table_usage': {
    from: 'main.own_keys AS k JOIN main.own_relations AS r ON r.oid = k.relid',
    columns: keyNames,
  },
  'i.table_privileges': { from: relations, columns: { ...grants, with_hierarchy: `'NO'` } },
  'i.role_table_grants': { from: relations, columns: { ...grants, with_hierarchy: `'NO'` } },
  'i.column_privileges': {
    from: `main.own_columns AS c JOIN ${relations} ON r.oid = c.relid`,
    columns: { ...grants, column_name: 'c.name' },
  },
  'i.enabled_roles': { from: '(SELECT 1)', columns: { role_name: 'current_user()' } },
};
