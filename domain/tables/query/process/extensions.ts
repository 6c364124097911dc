import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';

/** Loads an official extension from its file if there is one, otherwise from the engine's own repository. */
export async function loadExtension(connection: DuckDBConnection, dir: string | undefined, name: string) {
  const file = dir === undefined ? undefined : join(dir, `${name}.duckdb_extension`);
  if (file !== undefined && existsSync(file)) {
    await connection.run(`LOAD '${file.replaceAll("'", "''")}'`);
    return;
  }
  await connection.run(`INSTALL ${name}; LOAD ${name}`);
}
