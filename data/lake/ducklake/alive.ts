import type { EngineConnection, LakeEngine } from '../engine/contract.ts';
import type { Lake } from '../provision.ts';

/**
 * Ends a transaction that only read; fails if the connection to the catalog over which it read was lost.
 *
 * DuckLake checks whether a table has deletions in the catalog by reading them. It treats any failure as
 * "none" and caches that for as long as the lake is attached, so a connection lost at that moment would show
 * replaced rows. Nothing that a transaction read is trusted until it has ended. Only its end will do: a query
 * of the catalog by the caller goes over another connection than DuckLake's own.
 *
 * @throws Error of a lost connection, which is transient, whatever the engine calls it
 */
export async function endReading(connection: EngineConnection): Promise<void> {
  await connection.run('ROLLBACK').catch((cause: unknown) => {
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
    await endReading(connection);
    return result;
  });
}
