import type { Token } from '../lexer.ts';

/**
 * Functions and tables of the engine itself, which tell of its process or read something else. The engine has
 * no access to files either; this keeps its settings to itself.
 */
const refused =
  /^(?:duckdb_|pragma_|read_|parquet_|sniff_|json_execute|json_serialize_sql|json_deserialize|sql_|query$|query_table$|glob$|which_secret|getvariable|getenv|checkpoint|force_checkpoint|load_|http|write_log|parse_duckdb|test_|enable_|disable_|own_|from_substrait|seq_scan|repeat_row|sqlite_|show_)/;

/** A name in a statement that no statement about the catalog may have. */
export function refusedName(tokens: readonly Token[]): string | undefined {
  return tokens.find(
    ({ kind, value }) => (kind === 'word' || kind === 'quoted') && refused.test(value.toLowerCase()),
  )?.value;
}
