import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { identifier } from '../../../../data/lake/sql.ts';
import { type Catalog, openCatalog } from '../../../../packages/postgres-dialect/index.ts';
import { createParser, type Parser } from '../../../../packages/sql-guard/index.ts';
import { makePlain, type PlainTables } from '../process/plain-tables.ts';

/** An engine that has a catalog of PostgreSQL, and access to nothing. */
export interface Scratch {
  /** The keys of its content: another content needs another engine. */
  content: string;
  connection: DuckDBConnection;
  parser: Parser;
  catalog: Catalog;
  close(): void;
}

const memoryLimit = '256MiB';

export async function openScratch(
  known: PlainTables,
  keys: readonly string[],
  names: readonly string[],
): Promise<Scratch> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: memoryLimit,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_persistent_secrets: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  const parsing = await instance.connect();
  const close = () => {
    parsing.closeSync();
    connection.closeSync();
    instance.closeSync();
  };
  try {
    const engine = { connection, plain: new Set<string>(), ending: Promise.resolve() };
    await makePlain(engine, known, keys);
    for (const [at, key] of keys.entries())
      await connection.run(
        `CREATE TABLE main.${identifier(names[at]!)} AS SELECT * FROM temp.main.${identifier(key)}`,
      );
    const catalog = await openCatalog(connection);
    for (const statement of [
      `SET TimeZone = 'UTC'`,
      `SET temp_directory = ''`,
      `SET enable_external_access = false`,
      `SET lock_configuration = true`,
    ])
      await connection.run(statement);
    return { content: keys.join(), connection, parser: await createParser(parsing), catalog, close };
  } catch (error) {
    close();
    throw error;
  }
}
