import type { ViewDefinition } from './view-definition.ts';

const text = (value: string): string => `'${value}'`;
const [mainOid, catalogOid, informationOid, ownerOid, databaseOid] = [2200, 11, 13_000, 10, 16_383];

/** The relations of `pg_catalog` that have rows. */
export const postgresViews: Readonly<Record<string, ViewDefinition>> = {
  pg_namespace: {
    from: `(VALUES (${catalogOid}, 'pg_catalog'), (${informationOid}, 'information_schema'), (${mainOid}, 'main')) AS n(oid, name)`,
    columns: { oid: 'n.oid', nspname: 'n.name', nspowner: String(ownerOid) },
  },
  pg_class: {
    from: `(SELECT oid, name, kind, ${mainOid} AS schema, natts, haskey FROM main.own_relations
      UNION ALL SELECT indid, name, 'i', ${mainOid}, len(nums), false FROM main.own_keys
      UNION ALL SELECT oid, name, kind, schema, natts, false FROM main.own_system) AS r`,
    columns: {
      ...{ oid: 'r.oid', relname: 'r.name', relnamespace: 'r.schema', relowner: String(ownerOid) },
      ...{ relam: `CASE r.kind WHEN 'r' THEN 2 WHEN 'i' THEN 403 ELSE 0 END`, relfilenode: 'r.oid' },
      ...{ relpages: '0', reltuples: '-1', relallvisible: '0', relhasindex: 'r.haskey' },
      ...{ relpersistence: text('p'), relkind: 'r.kind', relnatts: 'r.natts', relispopulated: 'true' },
      ...{ relreplident: `CASE r.kind WHEN 'r' THEN 'd' ELSE 'n' END` },
    },
  },
  pg_attribute: {
    from: `(SELECT relid, num, name, type, modifier, isnotnull FROM main.own_columns
      UNION ALL SELECT k.indid, part.n, c.name, c.type, c.modifier, c.isnotnull FROM main.own_keys AS k
        CROSS JOIN LATERAL (SELECT unnest(k.nums) AS num, unnest(range(1, len(k.nums) + 1)) AS n) AS part
        JOIN main.own_columns AS c ON c.relid = k.relid AND c.num = part.num) AS a
      LEFT JOIN main.own_types AS t ON t.oid = a.type`,
    columns: {
      ...{ attrelid: 'a.relid', attname: 'a.name', atttypid: 'a.type', attlen: 't.size', attnum: 'a.num' },
      ...{ atttypmod: 'a.modifier', attndims: `CASE WHEN t.category = 'A' THEN 1 ELSE 0 END` },
      ...{ attbyval: 't.size BETWEEN 1 AND 8', attalign: text('i'), attstorage: text('p') },
      ...{ attcompression: `''`, attnotnull: 'a.isnotnull', attidentity: `''`, attgenerated: `''` },
      ...{ attislocal: 'true', attcollation: `CASE WHEN a.type IN (25, 1043, 1042) THEN 100 ELSE 0 END` },
    },
  },
  pg_type: {
    from: 'main.own_types AS t',
    columns: {
      ...{ oid: 't.oid', typname: 't.name', typnamespace: String(catalogOid), typowner: String(ownerOid) },
      ...{
        typlen: 't.size',
        typbyval: 't.size BETWEEN 1 AND 8',
        typtype: 't.kind',
        typcategory: 't.category',
      },
      ...{ typispreferred: 'false', typisdefined: 'true', typdelim: text(','), typelem: 't.item' },
      ...{ typsubscript: `CASE WHEN t.category = 'A' THEN 'array_subscript_handler' ELSE '-' END` },
      ...{ typarray: 't."array"', typinput: 't.reader', typoutput: `replace(t.reader, 'in', 'out')` },
      ...{ typreceive: 't.receive', typsend: `replace(t.receiver, 'recv', 'send')`, typalign: text('i') },
      ...{ typmodin: text('-'), typmodout: text('-'), typanalyze: text('-'), typstorage: text('p') },
      ...{ typtypmod: '-1', typndims: '0', typcollation: `CASE WHEN t.category = 'S' THEN 100 ELSE 0 END` },
    },
  },
  pg_proc: {
    from: '(SELECT DISTINCT receive AS oid, receiver AS name FROM main.own_types WHERE receive <> 0) AS p',
    columns: {
      ...{ oid: 'p.oid', proname: 'p.name', pronamespace: String(catalogOid), proowner: String(ownerOid) },
      ...{ prolang: '12', prokind: text('f'), provolatile: text('s'), proparallel: text('s') },
    },
  },
  pg_constraint: {
    from: 'main.own_keys AS k',
    columns: {
      ...{ oid: 'k.conid', conname: 'k.name', connamespace: String(mainOid), contype: text('p') },
      ...{ condeferrable: 'false', convalidated: 'true', conenforced: 'true', conrelid: 'k.relid' },
      ...{ conindid: 'k.indid', confupdtype: text(' '), confdeltype: text(' '), confmatchtype: text(' ') },
      ...{ conislocal: 'true', connoinherit: 'true', conkey: 'k.nums' },
    },
  },
  pg_index: {
    from: 'main.own_keys AS k',
    columns: {
      ...{ indexrelid: 'k.indid', indrelid: 'k.relid', indnatts: 'len(k.nums)', indnkeyatts: 'len(k.nums)' },
      ...{ indisunique: 'true', indisprimary: 'true', indimmediate: 'true', indisvalid: 'true' },
      ...{ indisready: 'true', indislive: 'true', indkey: 'k.nums' },
      ...{
        indoption: 'list_transform(k.nums, lambda n: 0)',
        indclass: 'list_transform(k.nums, lambda n: 1978)',
      },
      indcollation: 'list_transform(k.nums, lambda n: 0)',
    },
  },
  pg_description: {
    from: `(SELECT oid, 0 AS num, comment FROM main.own_relations
      UNION ALL SELECT relid, num, comment FROM main.own_columns) AS d WHERE d.comment IS NOT NULL`,
    columns: { objoid: 'd.oid', classoid: '1259', objsubid: 'd.num', description: 'd.comment' },
  },
  pg_database: {
    from: '(SELECT 1)',
    columns: {
      ...{ oid: String(databaseOid), datname: 'current_database()', datdba: String(ownerOid), encoding: '6' },
      ...{ datlocprovider: text('c'), datistemplate: 'false', datallowconn: 'true', datconnlimit: '-1' },
      ...{ dattablespace: '1663', datcollate: text('C'), datctype: text('C') },
    },
  },
  pg_roles: {
    from: '(SELECT 1)',
    columns: {
      ...{ oid: String(ownerOid), rolname: 'current_user()', rolinherit: 'true', rolcanlogin: 'true' },
      ...{ rolconnlimit: '-1', rolpassword: text('********') },
    },
  },
  pg_user: {
    from: '(SELECT 1)',
    columns: { usename: 'current_user()', usesysid: String(ownerOid), passwd: text('********') },
  },
  pg_tables: {
    from: `main.own_relations AS r WHERE r.kind = 'r'`,
    columns: {
      ...{
        schemaname: text('main'),
        tablename: 'r.name',
        tableowner: 'current_user()',
        hasindexes: 'r.haskey',
      },
    },
  },
  pg_views: {
    from: `main.own_relations AS r WHERE r.kind = 'v'`,
    columns: {
      schemaname: text('main'),
      viewname: 'r.name',
      viewowner: 'current_user()',
      definition: 'r.definition',
    },
  },
  pg_indexes: {
    from: 'main.own_keys AS k JOIN main.own_relations AS r ON r.oid = k.relid',
    columns: {
      ...{ schemaname: text('main'), tablename: 'r.name', indexname: 'k.name' },
      indexdef: 'pg_get_indexdef(k.indid)',
    },
  },
  pg_am: {
    from: `(VALUES (2, 'heap', 't'), (403, 'btree', 'i')) AS a(oid, name, kind)`,
    columns: { oid: 'a.oid', amname: 'a.name', amtype: 'a.kind', amhandler: text('-') },
  },
  pg_language: {
    from: `(VALUES (12, 'internal'), (14, 'sql')) AS l(oid, name)`,
    columns: { oid: 'l.oid', lanname: 'l.name', lanowner: String(ownerOid), lanpltrusted: 'true' },
  },
  pg_collation: {
    from: `(VALUES (100, 'default', 'd'), (950, 'C', 'c')) AS c(oid, name, provider)`,
    columns: {
      ...{ oid: 'c.oid', collname: 'c.name', collnamespace: String(catalogOid), collprovider: 'c.provider' },
      ...{ collisdeterministic: 'true', collencoding: '-1' },
    },
  },
  pg_tablespace: {
    from: '(SELECT 1)',
    columns: { oid: '1663', spcname: text('pg_default'), spcowner: String(ownerOid) },
  },
  pg_settings: {
    from: `(SELECT unnest(map_keys(getvariable('settings'))) AS name, unnest(map_values(getvariable('settings'))) AS setting) AS s`,
    columns: {
      ...{ name: 's.name', setting: 's.setting', category: text('Session'), short_desc: `''` },
      ...{ context: text('user'), vartype: text('string'), source: text('default'), boot_val: 's.setting' },
      ...{ reset_val: 's.setting', pending_restart: 'false' },
    },
  },
  pg_stat_activity: {
    from: '(SELECT 1)',
    columns: {
      ...{ datid: String(databaseOid), datname: 'current_database()', pid: 'pg_backend_pid()' },
      ...{ usesysid: String(ownerOid), usename: 'current_user()', state: text('active') },
      application_name: `current_setting('application_name')`,
    },
  },
  pg_stat_user_tables: {
    from: `main.own_relations AS r WHERE r.kind = 'r'`,
    columns: { relid: 'r.oid', schemaname: text('main'), relname: 'r.name' },
  },
};
