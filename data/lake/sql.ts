/** Quotes an identifier for DuckDB and PostgreSQL alike. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a string literal for DuckDB. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
