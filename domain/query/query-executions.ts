import { type Insertable, sql } from 'kysely';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { type RecordOf, records } from '../../data/postgres/records.ts';
import type { DB } from '../../data/postgres/schema.ts';

export type QueryExecution = RecordOf<'query_executions'>;

export async function insertQueryExecution(
  db: OrganizationTransaction,
  row: Insertable<DB['query_executions']>,
): Promise<void> {
  // Visible at once like any row; only a crash of the database itself may lose the last of the history.
  await sql`SET LOCAL synchronous_commit = off`.execute(db);
  await db.insertInto('query_executions').values(row).execute();
}

/** Listed newest first. */
export const { list: listQueryExecutions, get: getQueryExecution } = records('query_executions', {
  prefix: 'qry',
  what: 'The query execution',
});
