import type { CellValue, QueryParameter, QueryRelation } from './request.ts';

/** A placeholder such as `${params.since}`, whose value is not known before a statement runs. */
export const placeholder = /\$\{[^{}]{0,200}\}/g;

/** The value of a placeholder: a cell value, or a table by its name. */
export type SqlValue = CellValue | { table: string };

/** By placeholder as written in the statement: `${params.since}`. */
export type SqlValues = ReadonlyMap<string, SqlValue>;

/** A statement as passed to the pool, together with the values of its placeholders. */
export interface ParameterizedSql {
  sql: string;
  parameters: readonly QueryParameter[];
  /** Placeholders for tables: each is a relation of that name. */
  tableSources: readonly string[];
  relations: readonly QueryRelation[];
}

/**
 * Replaces each placeholder by an engine parameter with its own name; one for a table becomes a quoted name
 * under which that table is read. Values never become part of the statement's text, so this code need not
 * know how the engine reads quotes and comments: a placeholder that the parser does not return as a parameter
 * or a table is refused later. Lines keep their positions, and columns nearly so.
 */
export function withParameters(sql: string, values: SqlValues): ParameterizedSql {
  if (values.size === 0) return { sql, parameters: [], tableSources: [], relations: [] };
  let prefix = 'p';
  while (sql.includes(`$${prefix}`)) prefix += 'p';
  const parameters: QueryParameter[] = [];
  const relations = new Map<string, QueryRelation>();
  const replaced = sql.replace(placeholder, (source) => {
    const value = values.get(source);
    if (value === undefined) return source;
    if (isTable(value)) {
      relations.set(source, {
        name: source,
        id: source,
        definition: `SELECT * FROM "${value.table.replaceAll('"', '""')}"`,
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

const isTable = (value: SqlValue): value is { table: string } =>
  typeof value === 'object' && value !== null && 'table' in value;
