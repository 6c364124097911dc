import { quoted } from './guard/splice.ts';
import type { Parameter, Relation } from './request.ts';

/** A placeholder such as `${params.since}`, whose value is not known before a statement runs. */
export const placeholder = /\$\{[^{}]{0,200}\}/g;

/** A statement together with the values of its placeholders. */
export interface ParameterizedSql<Value> {
  sql: string;
  parameters: readonly (Parameter & { value: Value })[];
  /** Placeholders for tables: each is a relation of that name. */
  tableSources: readonly string[];
  relations: readonly Relation[];
}

/**
 * Replaces each placeholder by an engine parameter with its own name; one for a table becomes a quoted name
 * under which that table is read. Values never become part of the statement's text, so this code need not
 * know how the engine reads quotes and comments: a placeholder that the parser does not return as a parameter
 * or a table is refused later. Lines keep their positions, and columns nearly so.
 */
export function withParameters<Value>(
  sql: string,
  values: ReadonlyMap<string, Value | { table: string }>,
): ParameterizedSql<Value> {
  if (values.size === 0) return { sql, parameters: [], tableSources: [], relations: [] };
  let prefix = 'p';
  while (sql.includes(`$${prefix}`)) prefix += 'p';
  const parameters: (Parameter & { value: Value })[] = [];
  const relations = new Map<string, Relation>();
  const replaced = sql.replace(placeholder, (source) => {
    const value = values.get(source);
    if (value === undefined) return source;
    if (isTable(value)) {
      relations.set(source, {
        name: source,
        id: source,
        definition: `SELECT * FROM ${quoted(value.table)}`,
      });
      return `"${source}"`;
    }
    const name = `${prefix}${parameters.length + 1}`;
    parameters.push({ name, source, value });
    // The spaces keep it from becoming part of a name, or the start of a dollar quote (`$p1$`).
    return ` $${name} `.padEnd(source.length);
  });
  return {
    sql: replaced,
    parameters,
    tableSources: [...relations.keys()],
    relations: [...relations.values()],
  };
}

const isTable = <Value>(value: Value | { table: string }): value is { table: string } =>
  typeof value === 'object' && value !== null && 'table' in value;
