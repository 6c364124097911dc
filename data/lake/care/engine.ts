import type { DuckDBConnection } from '@duckdb/node-api';
import type { LakeDeps } from '../commit.ts';
import { attachedName } from '../engine.ts';
import type { Lake } from '../provision.ts';
import { literal } from '../sql.ts';

/**
 * How long care waits for a lock in the catalog. A flush drops the inlined rows of an outlived schema, and
 * while it waits for a long reader of them every later reader waits behind it: it gives up first.
 */
const lockTimeoutMs = 2_000;

/** A connection whose statements give way; `catalogName` is the lake's name on it, quoted as a literal. */
export function useForCare<T>(
  deps: LakeDeps,
  lake: Lake,
  work: (connection: DuckDBConnection, catalogName: string) => Promise<T>,
): Promise<T> {
  const location = { ...lake.writer, catalog: { ...lake.writer.catalog, lockTimeoutMs } };
  return deps.engine.use(location, (connection) => work(connection, literal(attachedName(location))));
}

/** True where somebody else held what care needs: it comes again later. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /due to (lock|statement) timeout/.test(error.message);
}
