import { withoutTail } from '../../../../packages/sql-guard/index.ts';
import { QueryRefusal } from '../refusal.ts';
import type { Bound } from './bind.ts';
import type { Engine } from './engine.ts';
import { LakeUnavailable } from './failure.ts';

/** A statement whose result was streamed, in the transaction that is still open. */
export interface StreamedStatement {
  sql: string;
  bound: Bound | undefined;
  columnCount: number;
  readsLake: boolean;
}

/**
 * The binding shows a streamed result that fails midway as one that has ended; only the transaction shows it.
 *
 * @throws the reason
 */
export async function confirmStreamed(engine: Engine, statement: StreamedStatement): Promise<void> {
  try {
    await engine.connection.run('SELECT 1');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/transaction is aborted/.test(message)) await failAgain(engine, statement);
    if (statement.readsLake) throw new LakeUnavailable(message);
    throw new QueryRefusal('query_failed', 'The statement could not be completed.');
  }
}

/** What failed is lost, so it is looked for once more: every value is computed, and none is kept. */
async function failAgain({ connection }: Engine, { sql, bound, columnCount }: StreamedStatement) {
  const places = Array.from({ length: columnCount }, (_, index) => `c${index}`).join(', ');
  await connection.run('ROLLBACK');
  await connection.run('BEGIN TRANSACTION READ ONLY');
  await connection.run(
    `SELECT max(hash(${places})) FROM (${withoutTail(sql)}\n) AS result(${places})`,
    bound?.values,
    bound?.types,
  );
}
