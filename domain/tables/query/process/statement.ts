import { encodeRows } from '../../../../packages/row-formats/index.ts';
import { applyNames, checkDraft } from '../../../../packages/sql-guard/index.ts';
import type { QueryAnswer } from '../request.ts';
import { boundParameters } from './bind.ts';
import { checkedOnce } from './checked-before.ts';
import { confirmStreamed } from './confirm.ts';
import type { Engine } from './engine.ts';
import { explained } from './explained.ts';
import type { SentTask } from './messages.ts';
import { withPivotsResolved } from './pivots.ts';
import {
  type Interruption,
  inReadTransaction,
  msSince,
  newestSnapshot,
  stopIfInterrupted,
} from './transaction.ts';

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
  const checked = await checkedOnce(engine, await withPivotsResolved(engine, statement, interruption));
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
