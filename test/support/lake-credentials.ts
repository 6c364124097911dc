import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { onTestFinished } from 'vitest';

/** An engine of somebody else, with the extensions that the pasted statements would install. */
export async function otherEngine(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' });
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  for (const name of ['ducklake', 'postgres_scanner', 'httpfs'])
    await connection.run(`LOAD '${process.env['DUCKDB_EXTENSION_DIR']}/${name}.duckdb_extension'`);
  return connection;
}

/** Runs what is pasted, without what needs the engine's own repository. */
export async function paste(connection: DuckDBConnection, sql: string): Promise<void> {
  for (const statement of sql.trim().split('\n'))
    if (!/^(INSTALL|LOAD) /.test(statement)) await connection.run(statement);
}

export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRowsJson();
}
