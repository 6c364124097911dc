import type { EngineConnection, LakeEngine } from '../engine/contract.ts';
import type { Lake } from '../provision.ts';
import { literal } from '../sql.ts';

/**
 * Asks the catalog something over the connection of the transaction that runs; it fails where that was lost
 * on the way.
 *
 * DuckLake asks whether a table has deletions in the catalog by reading them, and takes a failure of whatever
 * kind for no; it keeps that for as long as the lake is attached. A connection lost at that moment would show
 * replaced rows, so nothing that was read is believed before its transaction has had an answer to this.
 */
export const catalogProbe = (lakeName: string): string =>
  `SELECT * FROM postgres_query(${literal(`__ducklake_metadata_${lakeName}`)}, 'SELECT 1')`;

/** @throws Error of a lost connection, which is transient, whatever the engine calls it */
export async function probeCatalog(connection: EngineConnection, lakeName: string): Promise<void> {
  await connection.read(catalogProbe(lakeName)).catch((cause: unknown) => {
    throw new Error('Connection Error: the catalog was lost while the lake was read.', { cause });
  });
}

/** Reads a lake in one transaction, all of which came over one connection to the catalog. */
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
