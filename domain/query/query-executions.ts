import { type Insertable, type Selectable, sql } from 'kysely';
import { notFound } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import type { QueryExecutions } from '../../data/postgres/schema.gen.ts';

export type QueryExecution = Selectable<QueryExecutions>;

export async function insertQueryExecution(
  db: OrganizationTransaction,
  row: Insertable<QueryExecutions>,
): Promise<void> {
  // Visible at once like any row; only a crash of the database itself may lose the last of the history.
  await sql`SET LOCAL synchronous_commit = off`.execute(db);
  await db.insertInto('query_executions').values(row).execute();
}

/** Newest first. */
export async function listQueryExecutions(
  db: OrganizationTransaction,
  organizationId: string,
  options: { after: string | undefined; limit: number },
): Promise<QueryExecution[]> {
  let query = db.selectFrom('query_executions').selectAll().where('organization_id', '=', organizationId);
  if (options.after !== undefined) query = query.where('id', '<', options.after);
  return query.orderBy('id', 'desc').limit(options.limit).execute();
}

export async function getQueryExecution(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<QueryExecution> {
  const row = isId('qry', id)
    ? await db
        .selectFrom('query_executions')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw notFound('The query execution');
  return row;
}
