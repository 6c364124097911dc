import type { DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api';
import {
  bytesOf,
  dataTypeName,
  distinctNames,
  type MadePiece,
  type Outflow,
  openRowWriter,
} from '../../../../packages/row-formats/index.ts';
import { applyNames, checkStatement } from '../../../../packages/sql-guard/index.ts';
import { boundParameters } from '../process/bind.ts';
import { confirmStreamed } from '../process/confirm.ts';
import type { Engine } from '../process/engine.ts';
import { explained } from '../process/explained.ts';
import type { SentTask } from '../process/messages.ts';
import { withPivotsResolved } from '../process/pivots.ts';
import {
  type Interruption,
  inReadTransaction,
  msSince,
  newestSnapshot,
  stopIfInterrupted,
} from '../process/transaction.ts';
import type { Streamed } from './contract.ts';

/**
 * Runs a statement as any other, and sends its rows as they come. Nothing is sent before the first rows are
 * there, and the last piece only when all before it is known to have been read well.
 *
 * @param maxBytes of one row
 */
export async function streamRows(
  engine: Engine,
  task: Extract<SentTask, { kind: 'stream' }>,
  maxBytes: number,
  current: Interruption & { outflow: Outflow },
): Promise<Streamed> {
  const startedAt = performance.now();
  const { connection, parser } = engine;
  const { limit = Number.POSITIVE_INFINITY, maxFileBytes = Number.POSITIVE_INFINITY } = task;
  const mayExplain = typeof task.format === 'object';
  const resolved = await withPivotsResolved(engine, task, current);
  const checked = await checkStatement(parser, { ...resolved, mayExplain });
  const { answer, last } = await inReadTransaction(engine, current, async () => {
    const readsLake = checked.scannedRelationIds.length > 0;
    const snapshotId = readsLake ? (task.plain?.snapshotId ?? (await newestSnapshot(engine))) : 0;
    stopIfInterrupted(current);
    const bound = await boundParameters(connection, task.parameters ?? []);
    const result =
      checked.isPlan === true
        ? await explained(connection, checked, bound, task.plain)
        : await connection.stream(checked.sql, bound?.values, bound?.types);
    const asWritten = applyNames(result.columnNames(), checked.columnNames);
    const names = typeof task.format === 'object' ? asWritten : distinctNames(asWritten);
    const columns = names.map((name, index) => ({ name, type: result.columnType(index) }));
    const writer = await openRowWriter(task.format, columns, maxBytes);
    let isSplit = false;
    let fileBytes = 0;
    let fileRows = 0;
    const send = async (piece: MadePiece) => {
      fileBytes += bytesOf(piece);
      fileRows += piece.rowCount;
      await current.outflow.send(piece);
      stopIfInterrupted(current);
    };
    const endFile = async () => {
      await send({ ...writer.end(), endsFile: true });
      isSplit = true;
      fileBytes = 0;
      fileRows = 0;
    };
    let rowCount = 0;
    let truncated = false;
    for await (const chunk of chunksOf(result, limit)) {
      const wanted = Math.min(chunk.rowCount, limit - rowCount);
      truncated = chunk.rowCount > wanted;
      for (const piece of writer.add(chunk, wanted)) {
        await send(piece);
        if (fileBytes >= maxFileBytes) await endFile();
      }
      rowCount += wanted;
      if (truncated) break;
    }
    stopIfInterrupted(current);
    if (!truncated && checked.isPlan !== true) {
      await confirmStreamed(engine, { sql: checked.sql, bound, columnCount: names.length, readsLake });
    }
    stopIfInterrupted(current);
    const last = writer.end();
    // Nothing may follow the end of a file; but an answer without rows is a file.
    const isNothing = isSplit && fileRows + last.rowCount === 0;
    const answer = {
      columns: columns.map(({ name, type }) => ({ name, dataType: dataTypeName(type) })),
      rowCount,
      truncated,
      scannedRelationIds: checked.scannedRelationIds,
      snapshotId,
      elapsedMs: msSince(startedAt),
    };
    return { answer, last: bytesOf(last) === 0 || isNothing ? undefined : last };
  });
  if (last !== undefined) await current.outflow.send(last);
  return answer;
}

/** The result's chunks up to the one that exceeds the limit; the next is computed while one is written. */
async function* chunksOf(result: DuckDBResult, limit: number): AsyncGenerator<DuckDBDataChunk> {
  let next = result.fetchChunk();
  let rowCount = 0;
  try {
    for (;;) {
      const chunk = await next;
      if (chunk === null || chunk.rowCount === 0) return;
      rowCount += chunk.rowCount;
      if (rowCount <= limit) {
        next = result.fetchChunk();
        // Awaited in the next round, or at the end.
        next.catch(() => undefined);
      }
      yield chunk;
    }
  } finally {
    await next.catch(() => undefined);
  }
}
