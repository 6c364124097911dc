import type pg from 'pg';
import { readMigrations } from './migrate.ts';

/** How a database's schema compares with this release's migrations, by their names. */
export interface SchemaState {
  missing: string[];
  /** Applied with another content. */
  changed: string[];
  /** Of a newer release. */
  unknown: string[];
}

export async function schemaState(client: Pick<pg.ClientBase, 'query'>): Promise<SchemaState> {
  const own = await readMigrations();
  const applied = await appliedMigrations(client);
  const names = new Set(own.map(({ name }) => name));
  return {
    missing: own.flatMap(({ name }) => (applied.has(name) ? [] : [name])),
    changed: own.flatMap(({ name, sha256 }) =>
      applied.has(name) && applied.get(name) !== sha256 ? [name] : [],
    ),
    unknown: [...applied.keys()].filter((name) => !names.has(name)).sort(),
  };
}

async function appliedMigrations(client: Pick<pg.ClientBase, 'query'>): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string | null }>(
    `SELECT to_regclass('schema_migrations')::text AS name`,
  );
  if (rows[0]?.name == null) return new Map();
  const known = await client.query<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM schema_migrations',
  );
  return new Map(known.rows.map(({ name, sha256 }) => [name, sha256]));
}
