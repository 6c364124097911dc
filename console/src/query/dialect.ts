import { SQLDialect } from '@codemirror/lang-sql';

/** Words of one SELECT, as DuckDB reads it. */
const keywords = `all and anti any array as asc asof at between by case cast collate columns cross cube current
  current_date current_time current_timestamp desc distinct else end escape except exclude exists extract false
  fetch filter first following for from full glob group grouping having ignore ilike in inner intersect interval
  is isnull join lambda last lateral left like limit map materialized natural not notnull null nulls offset on or
  order outer over partition percent pivot position positional preceding qualify range recursive replace
  respect right rollup row rows sample select semi sets similar some struct summarize table tablesample then ties
  to true try_cast unbounded union unpivot using values version when where window with within without`;

const types = `bigint blob bool boolean date decimal double float hugeint int integer json numeric real smallint
  string text time timestamp timestamptz tinyint ubigint uhugeint uinteger usmallint utinyint uuid varchar`;

/** Those that most statements are made of; there are hundreds. */
const functions = `abs any_value arg_max arg_min avg ceil coalesce concat concat_ws count date_diff date_part
  date_trunc dense_rank floor generate_series greatest ifnull lag lead least len length list lower max median min
  mode nullif quantile_cont rank regexp_extract regexp_matches regexp_replace round row_number split_part strftime
  strip_accents strptime string_agg substring sum trim unnest upper`;

export const duckdb = SQLDialect.define({
  keywords,
  types,
  builtin: functions,
  doubleDollarQuotedStrings: true,
  operatorChars: '+-*/<>=~!@%^&|',
  specialVar: '',
  caseInsensitiveIdentifiers: true,
});

const reserved = new Set(keywords.split(/\s+/));

/** A name as a statement has it. */
export const written = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/i.test(name) && !reserved.has(name.toLowerCase())
    ? name
    : `"${name.replaceAll('"', '""')}"`;
