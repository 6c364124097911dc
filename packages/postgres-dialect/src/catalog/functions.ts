/** A function of PostgreSQL: its name, and for each list of arguments what it gives. */
type Macro = readonly [name: string, ...overloads: (readonly [args: string, body: string])[]];

const setting = (name: string) => `list_extract(map_extract(getvariable('settings'), lower(${name})), 1)`;
const nothing = (...args: string[]): [string, string][] =>
  args.map((list) => [list, 'CAST(NULL AS VARCHAR)']);
const always = (value: string, ...args: string[]): [string, string][] => args.map((list) => [list, value]);
const ownName = '(SELECT any_value(r.name) FROM main.own_relations AS r WHERE r.oid = o)';
const keyList = `(SELECT string_agg(quote_ident(c.name), ', ' ORDER BY list_position(k.nums, c.num)) FROM main.own_columns AS c
  WHERE c.relid = k.relid AND list_contains(k.nums, c.num))`;
const indexDefinition = `(SELECT any_value('CREATE UNIQUE INDEX ' || quote_ident(k.name) || ' ON main.' || quote_ident(r.name) ||
  ' USING btree (' || ${keyList} || ')') FROM main.own_keys AS k JOIN main.own_relations AS r ON r.oid = k.relid
  WHERE k.indid = o)`;
const reads = (privilege: string) => `regexp_matches(lower(${privilege}), 'select')`;
const uses = (privilege: string) => `regexp_matches(lower(${privilege}), 'usage|connect|temp')`;
const size: [string, string][] = always('CAST(0 AS BIGINT)', 'o', 'o, f');

/** The name of a type as SQL writes it, where it isn't the one in the catalog. */
const sqlNames: Readonly<Record<number, string>> = {
  ...{ 16: 'boolean', 18: '"char"', 20: 'bigint', 21: 'smallint', 23: 'integer', 700: 'real', 1560: 'bit' },
  ...{ 701: 'double precision', 1042: 'character', 1043: 'character varying', 1562: 'bit varying' },
  ...{ 1083: 'time without time zone', 1114: 'timestamp without time zone' },
  ...{ 1184: 'timestamp with time zone', 1266: 'time with time zone' },
};
const named = Object.entries(sqlNames).map(([oid, name]) => `WHEN ${oid} THEN '${name}'`);
const typeName = (of: string) =>
  `CASE ${of} ${named.join(' ')} ELSE (SELECT any_value(y.name) FROM main.own_types AS y WHERE y.oid = ${of}) END`;
const itemOf = '(SELECT any_value(z.item) FROM main.own_types AS z WHERE z.oid = t)';

/** In the order in which they need each other. */
const macros: readonly Macro[] = [
  [
    'quote_ident',
    [
      's',
      `CASE WHEN regexp_full_match(s, '[a-z_][a-z0-9_$]*') THEN s ELSE '"' || replace(s, '"', '""') || '"' END`,
    ],
  ],
  ['quote_literal', ['s', `'''' || replace(CAST(s AS VARCHAR), '''', '''''') || ''''`]],
  ['quote_nullable', ['s', `coalesce(quote_literal(s), 'NULL')`]],
  ['current_setting', ['n', setting('n')], ['n, m', setting('n')]],
  ['set_config', ['n, v, l', 'CAST(v AS VARCHAR)']],
  ['current_database', ['', `getvariable('database')`]],
  ['current_catalog', ['', `getvariable('database')`]],
  ['current_user', ['', `getvariable('user')`]],
  ['session_user', ['', `getvariable('user')`]],
  ['current_role', ['', `getvariable('user')`]],
  ['"user"', ['', `getvariable('user')`]],
  ['current_schema', ['', `'main'`]],
  ['current_schemas', ['b', `CASE WHEN b THEN ['pg_catalog', 'main'] ELSE ['main'] END`]],
  ['version', ['', `'PostgreSQL ' || ${setting(`'server_version'`)} || ', served by DuckDB'`]],
  ['pg_backend_pid', ['', `CAST(getvariable('pid') AS INTEGER)`]],
  ['pg_is_in_recovery', ['', 'true']],
  ['pg_is_wal_replay_paused', ['', 'false']],
  ['pg_my_temp_schema', ['', 'CAST(0 AS UINTEGER)']],
  ['pg_is_other_temp_schema', ['o', 'false']],
  ['pg_client_encoding', ['', `'UTF8'`]],
  ['pg_encoding_to_char', ['e', `'UTF8'`]],
  ['pg_char_to_encoding', ['e', '6']],
  ['pg_postmaster_start_time', ['', `CAST('epoch' AS TIMESTAMPTZ)`]],
  ['pg_conf_load_time', ['', `CAST('epoch' AS TIMESTAMPTZ)`]],
  ['pg_get_userbyid', ['o', `getvariable('user')`]],
  ['inet_server_addr', ...nothing('')],
  ['inet_client_addr', ...nothing('')],
  ['inet_server_port', ['', 'CAST(NULL AS INTEGER)']],
  ['inet_client_port', ['', 'CAST(NULL AS INTEGER)']],
  [
    'format_type',
    [
      't, m',
      `CASE WHEN t IS NULL THEN NULL
     WHEN t = 1700 AND m > 0 THEN 'numeric(' || ((m - 4) >> 16) || ',' || ((m - 4) & 65535) || ')'
     WHEN ${itemOf} <> 0 AND (SELECT any_value(x.category) FROM main.own_types AS x WHERE x.oid = t) = 'A'
     THEN (${typeName(itemOf)}) || '[]' ELSE ${typeName('t')} END`,
    ],
  ],
  [
    'to_regclass',
    [
      's',
      `(SELECT CAST(min(r.oid) AS VARCHAR) FROM (SELECT oid, name FROM main.own_relations
     UNION ALL SELECT oid, name FROM main.own_system UNION ALL SELECT indid, name FROM main.own_keys) AS r
     WHERE r.name = replace(regexp_replace(CAST(s AS VARCHAR), '^("?[^".]+"?\\.)?"?', ''), '"', ''))`,
    ],
  ],
  [
    'cast_regclass',
    [
      's',
      `CASE WHEN regexp_full_match(CAST(s AS VARCHAR), '[0-9]+') THEN coalesce(
     (SELECT any_value(r.name) FROM (SELECT CAST(oid AS VARCHAR) AS oid, quote_ident(name) AS name FROM main.own_relations
       UNION ALL SELECT CAST(oid AS VARCHAR), name FROM main.own_system
       UNION ALL SELECT CAST(indid AS VARCHAR), quote_ident(name) FROM main.own_keys) AS r
      WHERE r.oid = CAST(s AS VARCHAR)), CASE CAST(s AS VARCHAR) WHEN '0' THEN '-' ELSE CAST(s AS VARCHAR) END)
     WHEN CAST(s AS VARCHAR) IS NULL THEN NULL
     ELSE coalesce(to_regclass(s), error('relation "' || CAST(s AS VARCHAR) || '" does not exist')) END`,
    ],
  ],
  [
    'to_regtype',
    [
      's',
      `(SELECT CAST(min(t.oid) AS VARCHAR) FROM main.own_types AS t
     WHERE t.name = lower(CAST(s AS VARCHAR)) OR format_type(t.oid, NULL) = lower(CAST(s AS VARCHAR)))`,
    ],
  ],
  [
    'cast_regtype',
    [
      's',
      `CASE WHEN regexp_full_match(CAST(s AS VARCHAR), '[0-9]+')
     THEN coalesce(format_type(CAST(CAST(s AS VARCHAR) AS UINTEGER), NULL), '-') ELSE to_regtype(s) END`,
    ],
  ],
  [
    'cast_regproc',
    [
      's',
      `CASE WHEN regexp_full_match(CAST(s AS VARCHAR), '[0-9]+') THEN coalesce(
     (SELECT any_value(t.receiver) FROM main.own_types AS t WHERE CAST(t.receive AS VARCHAR) = CAST(s AS VARCHAR)), '-')
     ELSE replace(CAST(s AS VARCHAR), 'pg_catalog.', '') END`,
    ],
  ],
  [
    'cast_regnamespace',
    [
      's',
      `CASE CAST(s AS VARCHAR) WHEN '2200' THEN 'main' WHEN '11' THEN 'pg_catalog'
     WHEN '13000' THEN 'information_schema' WHEN 'main' THEN '2200' WHEN 'pg_catalog' THEN '11'
     WHEN 'information_schema' THEN '13000' END`,
    ],
  ],
  ['cast_regrole', ['s', `CASE CAST(s AS VARCHAR) WHEN '10' THEN getvariable('user') ELSE '10' END`]],
  [
    'obj_description',
    ...always('(SELECT any_value(r.comment) FROM main.own_relations AS r WHERE r.oid = o)', 'o', 'o, c'),
  ],
  [
    'col_description',
    ['o, n', '(SELECT any_value(c.comment) FROM main.own_columns AS c WHERE c.relid = o AND c.num = n)'],
  ],
  ['shobj_description', ...nothing('o, c')],
  [
    'pg_get_indexdef',
    ['o', indexDefinition],
    [
      'o, n, b',
      `CASE WHEN n = 0 THEN ${indexDefinition} ELSE (SELECT any_value(c.name) FROM main.own_keys AS k
        JOIN main.own_columns AS c ON c.relid = k.relid AND c.num = k.nums[n] WHERE k.indid = o) END`,
    ],
  ],
  [
    'pg_get_constraintdef',
    ...always(
      `(SELECT any_value('PRIMARY KEY (' || ${keyList} || ')') FROM main.own_keys AS k WHERE k.conid = o)`,
      'o',
      'o, b',
    ),
  ],
  ['pg_get_expr', ...nothing('e, o', 'e, o, b')],
  [
    'pg_get_viewdef',
    ...always(
      '(SELECT any_value(r.definition) FROM main.own_relations AS r WHERE CAST(r.oid AS VARCHAR) = CAST(o AS VARCHAR))',
      'o',
      'o, b',
    ),
  ],
  ['pg_get_ruledef', ...nothing('o', 'o, b')],
  ['pg_get_triggerdef', ...nothing('o', 'o, b')],
  ['pg_get_functiondef', ...nothing('o')],
  ['pg_get_function_arguments', ...nothing('o')],
  ['pg_get_function_identity_arguments', ...nothing('o')],
  ['pg_get_function_result', ...nothing('o')],
  ['pg_get_function_sqlbody', ...nothing('o')],
  ['pg_get_partkeydef', ...nothing('o')],
  ['pg_get_statisticsobjdef_columns', ...nothing('o')],
  ['pg_get_serial_sequence', ...nothing('t, c')],
  ['pg_tablespace_location', ...nothing('o')],
  ['pg_relation_filepath', ...nothing('o')],
  ['pg_relation_is_publishable', ['o', 'false']],
  ['pg_sequence_last_value', ['o', 'CAST(NULL AS BIGINT)']],
  ['pg_index_column_has_property', ['o, n, p', `p = 'orderable'`]],
  ['pg_indexam_has_property', ['o, p', 'false']],
  [
    'pg_table_is_visible',
    [
      'o',
      'o IS NOT NULL AND NOT coalesce((SELECT any_value(s.schema) <> 11 FROM main.own_system AS s WHERE s.oid = o), false)',
    ],
  ],
  ['pg_type_is_visible', ['o', 'o IS NOT NULL']],
  ['pg_function_is_visible', ['o', 'o IS NOT NULL']],
  ['pg_collation_is_visible', ['o', 'o IS NOT NULL']],
  ['pg_operator_is_visible', ['o', 'o IS NOT NULL']],
  ...[
    'pg_relation_size',
    'pg_total_relation_size',
    'pg_table_size',
    'pg_indexes_size',
    'pg_database_size',
  ].map((name) => [name, ...size] as const),
  ['pg_size_pretty', ['n', `n || ' bytes'`]],
  ...['seq_scan', 'seq_tup_read', 'numscans', 'live_tuples', 'dead_tuples', 'tuples_inserted'].map(
    (name) => [`pg_stat_get_${name}`, ['o', 'CAST(0 AS BIGINT)']] as const,
  ),
  ...['table', 'any_column'].map(
    (of) => [`has_${of}_privilege`, ['o, p', reads('p')], ['u, o, p', reads('p')]] as const,
  ),
  ['has_column_privilege', ['o, c, p', reads('p')], ['u, o, c, p', reads('p')]],
  ...['schema', 'database', 'type', 'language'].map(
    (of) => [`has_${of}_privilege`, ['o, p', uses('p')], ['u, o, p', uses('p')]] as const,
  ),
  ...['function', 'sequence', 'tablespace', 'foreign_data_wrapper', 'server'].map(
    (of) => [`has_${of}_privilege`, ['o, p', 'false'], ['u, o, p', 'false']] as const,
  ),
  ['pg_has_role', ['o, p', 'true'], ['u, o, p', 'true']],
  ['row_security_active', ['o', 'false']],
  ['array_upper', ['a, d', 'CASE WHEN len(a) > 0 THEN len(a) END']],
  ['array_lower', ['a, d', 'CASE WHEN len(a) > 0 THEN 1 END']],
  ['generate_subscripts', ['a, d', 'unnest(range(1, len(a) + 1))']],
  ['vector_subscripts', ['a, d', 'unnest(range(0, len(a)))']],
  ['_pg_expandarray', ['a', `unnest(list_transform(range(1, len(a) + 1), lambda n: {'x': a[n], 'n': n}))`]],
  ['_pg_truetypid', ['a, t', 'a.atttypid']],
  ['_pg_truetypmod', ['a, t', 'a.atttypmod']],
  ['_pg_numeric_precision', ['t, m', 'CASE WHEN t = 1700 AND m > 0 THEN (m - 4) >> 16 END']],
  ['_pg_numeric_scale', ['t, m', 'CASE WHEN t = 1700 AND m > 0 THEN (m - 4) & 65535 END']],
  ['_pg_char_max_length', ['t, m', 'CAST(NULL AS INTEGER)']],
  ['own_name', ['o', ownName]],
];

const tableMacros: readonly [name: string, args: string, body: string][] = [
  ['pg_get_keywords', '', `SELECT '' AS word, 'R' AS catcode, false AS barelabel WHERE false`],
  [
    'pg_options_to_table',
    'o',
    'SELECT NULL::VARCHAR AS option_name, NULL::VARCHAR AS option_value WHERE false',
  ],
  [
    'aclexplode',
    'a',
    `SELECT 0::UINTEGER AS grantor, 0::UINTEGER AS grantee, '' AS privilege_type, false AS is_grantable WHERE false`,
  ],
  ['pg_get_publication_tables', 'p', 'SELECT 0::UINTEGER AS relid WHERE false'],
  ['pg_show_all_settings', '', "SELECT unnest(map_keys(getvariable('settings'))) AS name"],
];

/** The statements that make them. */
export function createFunctions(): string[] {
  return [
    ...macros.map(([name, ...overloads]) => {
      const written = overloads.map(([args, body]) => `(${args}) AS (${body})`);
      return `CREATE MACRO main.${name} ${written.join(', ')}`;
    }),
    ...tableMacros.map(([name, args, body]) => `CREATE MACRO main.${name}(${args}) AS TABLE ${body}`),
  ];
}

/** Functions that only a catalog has: a statement without tables that calls one is about the catalog. */
export const catalogFunctions: ReadonlySet<string> = new Set(
  [...macros.map(([name]) => name), ...tableMacros.map(([name]) => name)].map((name) =>
    name.replaceAll('"', ''),
  ),
);
