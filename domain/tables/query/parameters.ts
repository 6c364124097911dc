import type { CellValue, QueryParameter, QueryRelation } from './request.ts';

/** `${params.since}`: what is not known before a statement runs. */
export const placeholder = /\$\{[^{}]{0,200}\}/g;

/** What a placeholder of a statement may stand for: a value, or one of the tables, by its name. */
export type SqlValue = CellValue | { table: string };

/** By placeholder, as it stands in the statement: `${params.since}`. */
export type SqlValues = ReadonlyMap<string, SqlValue>;

/** A statement as the pool is asked, with what its placeholders stand for beside it. */
export interface ParameterizedSql {
  sql: string;
  parameters: readonly QueryParameter[];
  /** Placeholders that stand for tables: each is a relation under that name. */
  tableSources: readonly string[];
  relations: readonly QueryRelation[];
}

/**
 * Puts a parameter of the engine wherever a placeholder stands, each with a name of its own; one for a table
 * becomes a quoted name, under which that table is read. Nothing of a value ever becomes text of the
 * statement, so nothing here has to know how the engine reads quotes and comments: what does not come out of
 * its parser as a parameter or a table is refused there. Lines stay where they were, and columns but for a
 * few.
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
    // The spaces keep it from becoming part of a name, or the beginning of a quotation (`$p1$`).
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
