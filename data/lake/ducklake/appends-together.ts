import type pg from 'pg';
import type { LakeOperation } from '../ledger.ts';
import { type InlinedAppend, type InlinedRows, isRefusal, writeStatementOf } from './inlined-append.ts';

/** Rows of one table, with what the ledger keeps about them. */
export interface InlinedEntry {
  rows: InlinedRows;
  operations: readonly LakeOperation[];
}

/** `alone`: nothing was written, and the entry needs its own call, such as one that waits for its lock. */
export type TogetherOutcome = InlinedAppend | 'alone';

/**
 * Appends rows to several tables of a lake in one commit, each as `appendInlined` does. Each table has its
 * own outcome; tables that are written have the same version. A lock that is not free is not waited for.
 */
export async function appendTogether(
  session: Pick<pg.ClientBase, 'query'>,
  schemaName: string,
  given: readonly InlinedEntry[],
): Promise<TogetherOutcome[]> {
  const outcomes: TogetherOutcome[] = given.map(() => ({ outcome: 'unfit' }));
  const sent = given.flatMap(({ rows, operations }, index) => {
    const statement = writeStatementOf(rows);
    return statement === undefined ? [] : [{ rows, operations, statement, index }];
  });
  if (sent.length === 0) return outcomes;
  try {
    const { rows: found } = await session.query<{
      outcome: 'written' | 'taken' | 'in_files' | 'unfit' | 'busy';
      version: number;
      taken: string[];
    }>(
      `SELECT outcome, version, taken::text[]
       FROM public.append_inlined_rows_together($1, $2, $3, $4)`,
      [
        schemaName,
        JSON.stringify(sent.map(entryOf)),
        sent.map(({ rows }) => `{${rows.ids.join(',')}}`),
        sent.map(({ rows }) => rows.text),
      ],
    );
    for (const [position, { index }] of sent.entries()) {
      const { outcome, version, taken } = found[position]!;
      if (outcome === 'written') outcomes[index] = { outcome, version };
      else if (outcome === 'taken') outcomes[index] = { outcome, taken: new Set(taken.map(BigInt)) };
      else outcomes[index] = outcome === 'busy' ? 'alone' : { outcome };
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // One of them is at fault, and its own call finds it.
    for (const { index } of sent) outcomes[index] = 'alone';
  }
  return outcomes;
}

function entryOf({ rows, operations, statement }: InlinedEntry & { statement: string }): object {
  return {
    id: rows.tableId,
    readers: rows.access.readers,
    writers: rows.access.writers,
    table: rows.lakeTableId,
    names: rows.columns.map(({ name }) => name),
    types: rows.columns.map(({ type }) => type),
    idName: rows.idColumn,
    statement,
    operations: operations.map((operation) => ({
      id: operation.id,
      table_id: operation.tableId,
      operation: operation.operation,
      rows_added: operation.rowsAdded,
      rows_removed: operation.rowsRemoved,
      run_id: operation.runId,
      committed_by: operation.committedBy,
    })),
  };
}
