import type { EngineConnection, LakeEngine } from '../engine/contract.ts';
import type { Lake } from '../provision.ts';
import { literal } from '../sql.ts';

/**
 * Queries the catalog over the connection of the current transaction; fails if that connection was lost.
 *
 * DuckLake checks whether a table has deletions in the catalog by reading them. It treats any failure as
 * "none" and caches that for as long as the lake is attached, so a connection lost at that moment would show
 * replaced rows. Nothing that a transaction read is trusted until this query has succeeded in it.
 */
export const catalogProbe = (lakeName: string): string =>
  `SELECT * FROM postgres_query(${literal(`__ducklake_metadata_${lakeName}`)}, 'SELECT 1')`;

/** @throws Error of a lost connection, which is transient, whatever the engine calls it */
export async function probeCatalog(connection: EngineConnection, lakeName: string): Promise<void> {
  await connection.read(catalogProbe(lakeName)).catch((cause: unknown) => {
    throw new Error('Connection Error: the catalog was lost while the lake was read.', { cause });
  });
}

/** Reads a lake in one transaction, all over one connection to the catalog. */
export function readLake<T>(
  engine: LakeEngine,
  lake: Lake,
  work: (connection: EngineConnection) => Promise<T>,
): Promise<T> {
  return engine.use(lake.writer, async (connection) => {
    await connection.run('BEGIN');
    const result = await work(connection);
    await probeCatalog(connection, lake.schema);
    await connection.run('ROLLBACK');
    return result;
  });
}
