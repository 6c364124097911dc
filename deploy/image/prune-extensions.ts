/**
 * Removes the engine's extensions that no process of the service loads. Those that the engine itself contains
 * become empty files: it returns before it would read them, but the service looks whether they are there.
 */
import { globSync, rmSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { lakeExtensions, loadExtensions, queryExtensions } from '../../data/lake/engine/extensions.ts';
import { extensionsFolder } from '../../data/stores-config.ts';

const needed = new Set<string>([...lakeExtensions, ...queryExtensions]);
const connection = await (await DuckDBInstance.create()).connect();
const contained = await connection.runAndReadAll(
  `SELECT extension_name FROM duckdb_extensions() WHERE install_mode = 'STATICALLY_LINKED'`,
);
const names = new Set(contained.getRows().flat());
for (const file of globSync('*.duckdb_extension', { cwd: extensionsFolder })) {
  const name = basename(file, '.duckdb_extension');
  if (!needed.has(name)) rmSync(join(extensionsFolder, file));
  else if (names.has(name)) truncateSync(join(extensionsFolder, file));
}
// If an engine missed something of this, the build would end here.
await loadExtensions(connection, { extensionDir: extensionsFolder }, [...needed]);
