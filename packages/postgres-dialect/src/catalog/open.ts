import type { DuckDBConnection } from '@duckdb/node-api';
import { createFunctions } from './functions.ts';
import { constantTables, createRelation, informationSchema, neededBy } from './relations.ts';
import { shapes } from './shapes.ts';

/** Whose session asks, and what it has set. */
export interface CatalogSession {
  database: string;
  user: string;
  processId: number;
  settings: ReadonlyMap<string, string>;
}

export interface Catalog {
  /** Makes what a statement needs that has not been made yet, and says whose session asks. */
  prepare(relations: readonly string[], session: CatalogSession): Promise<void>;
}

/**
 * Makes a catalog of PostgreSQL in an engine that has nothing else. The tables of its content must be there,
 * in the schema `main`.
 */
export async function openCatalog(connection: DuckDBConnection): Promise<Catalog> {
  const made = new Set<string>();
  await connection.run(`CREATE SCHEMA ${informationSchema}`);
  for (const statement of constantTables()) await connection.run(statement);
  for (const statement of createFunctions()) await connection.run(statement);

  async function make(key: string): Promise<void> {
    if (made.has(key) || !shapes.has(key)) return;
    for (const needed of neededBy(key)) await make(needed);
    await connection.run(createRelation(key));
    made.add(key);
  }
  return {
    async prepare(relations, { database, user, processId, settings }) {
      for (const key of relations) await make(key);
      const entries = [...settings].map(([name, value]) => `${literal(name)}: ${literal(value)}`);
      await connection.run(`SET VARIABLE settings = MAP {${entries.join(', ')}}`);
      await connection.run(`SET VARIABLE database = ${literal(database)}`);
      await connection.run(`SET VARIABLE "user" = ${literal(user)}`);
      await connection.run(`SET VARIABLE pid = ${processId}`);
    },
  };
}

const literal = (value: string): string => `'${value.replaceAll("'", "''").replaceAll('\0', '')}'`;
