import { currentSnapshotQuery } from '../../../../data/lake/ducklake/procedures.ts';
import { QueryRefusal } from '../refusal.ts';
import type { Engine } from './engine.ts';
import { LakeUnavailable } from './failure.ts';

/**
 * Set from outside while a statement runs, and checked between its steps, since an interrupt only ends one
 * step.
 */
export interface Interruption {
  isRequested: boolean;
}

/** To a thousandth. */
export const msSince = (startedAt: number): number =>
  Math.round((performance.now() - startedAt) * 1000) / 1000;

/**
 * Works in one transaction that only reads. Its result is trusted only if the connection to the catalog
 * survived, which the transaction's end shows; see `endReading`.
 */
export async function inReadTransaction<T>(
  engine: Engine,
  interruption: Interruption,
  work: () => Promise<T>,
): Promise<T> {
  const { connection } = engine;
  await engine.ending;
  if (engine.isLost) throw new LakeUnavailable('The previous transaction could not be ended.');
  stopIfInterrupted(interruption);
  await connection.run('BEGIN TRANSACTION READ ONLY');
  const end = async () => {
    try {
      await connection.run('ROLLBACK');
    } catch (error) {
      engine.isLost = true;
      throw new LakeUnavailable(error instanceof Error ? error.message : String(error));
    }
  };
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // The next statement waits for it; this one's failure is answered at once.
    engine.ending = end().catch(() => undefined);
    throw error;
  }
  await end();
  return result;
}

/** Everything after it in the transaction reads this snapshot, whatever is committed meanwhile. */
export async function newestSnapshot(engine: Engine): Promise<number> {
  const result = await engine.connection.run(currentSnapshotQuery('lake'));
  const chunk = await result.fetchChunk();
  return Number(chunk?.getColumnVector(0).getItem(0));
}

export function stopIfInterrupted(interruption: Interruption): void {
  if (interruption.isRequested) throw new QueryRefusal('query_timeout', 'The query was interrupted.');
}
