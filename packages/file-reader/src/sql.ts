/** Quotes an identifier for the engine. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text as a literal for the engine. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
