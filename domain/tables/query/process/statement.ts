import { currentSnapshotQuery } from '../../../../data/lake/ducklake/procedures.ts';
import { encodeRows } from '../../../../packages/row-formats/index.ts';
import { applyNames, checkDraft } from '../../../../packages/sql-guard/index.ts';
import { QueryRefusal } from '../refusal.ts';
import type { QueryAnswer } from '../request.ts';
import { boundParameters } from './bind.ts';
import { checkedOnce } from './checked-before.ts';
import { confirmStreamed } from './confirm.ts';
import type { Engine } from './engine.ts';
import { explained } from './explained.ts';
import { LakeUnavailable } from './failure.ts';
import type { SentTask } from './messages.ts';

/**
 * Set from outside while a statement runs, and checked between its steps, since an interrupt only ends one
 * step.
 */
export interface Interruption {
  isRequested: boolean;
}

const nothing: QueryAnswer = {
  columns: [],
  rowsJson: undefined,
  rowsWithColumnOrderJson: undefined,
  rowCount: 0,
  truncated: false,
  elapsedMs: 0,
  scannedRelationIds: [],
  snapshotId: 0,
};

/** Checks a statement, and runs it in one read-only transaction. */
export async function runStatement(
  engine: Engine,
  statement: Extract<SentTask, { kind: 'run' }>,
  maxAnswerBytes: number,
  interruption: Interruption,
): Promise<QueryAnswer> {
  const startedAt = performance.now();
  const { connection } = engine;
  if (statement.onlyCheck === 'form') {
    return { ...nothing, namedTables: await checkDraft(engine.parser, statement) };
  }
  const checked = await checkedOnce(engine, statement);
  if (statement.onlyCheck === 'names') {
    return inReadTransaction(engine, interruption, async () => {
      (await connection.prepare(checked.sql)).destroySync();
      return nothing;
    });
  }
  return inReadTransaction(engine, interruption, async () => {
    const readsLake = checked.scannedRelationIds.length > 0;
    const snapshotId = readsLake ? (statement.plain?.snapshotId ?? (await newestSnapshot(engine))) : 0;
    stopIfInterrupted(interruption);
    // A bounded result is faster materialised than streamed; any other is read no further than wanted.
    const bound = await boundParameters(connection, statement.parameters);
    const result =
      checked.isPlan === true
        ? await explained(connection, checked, bound, statement.plain)
        : await (checked.isBounded
            ? connection.run(checked.sql, bound?.values, bound?.types)
            : connection.stream(checked.sql, bound?.values, bound?.types));
    const limits = { rows: statement.limit, bytes: maxAnswerBytes };
    const names = applyNames(result.columnNames(), checked.columnNames);
    const rows = await encodeRows(result, names, statement.rowFormat, limits);
    stopIfInterrupted(interruption);
    if (!checked.isBounded && !rows.truncated) {
      await confirmStreamed(engine, { sql: checked.sql, bound, columnCount: names.length, readsLake });
    }
    return {
      ...rows,
      elapsedMs: msSince(startedAt),
      scannedRelationIds: checked.scannedRelationIds,
      snapshotId,
    };
  });
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
