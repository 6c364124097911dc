import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';

export type QueryExecution = RecordOf<'query_executions'>;

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    query_executions: {
      scanned: DefaultedDocument<{ tableId: string; version: number }[]>;
    };
  }
}

const executions = records('query_executions', { prefix: 'qry', what: 'The query execution' });

/**
 * The user who reads the history. Records with an owner are visible only to the owner and to administrators.
 */
export interface Viewer {
  id: string;
  admin: boolean;
}

export async function getQueryExecution(
  db: OrganizationTransaction,
  organizationId: string,
  { id, viewer }: { id: string; viewer: Viewer },
): Promise<QueryExecution> {
  const row = await executions.get(db, organizationId, id);
  if (!viewer.admin && row.owner_id !== null && row.owner_id !== viewer.id)
    throw notFound('The query execution');
  return row;
}

/** Newest first. */
export function listQueryExecutions(
  db: OrganizationTransaction,
  organizationId: string,
  viewer: Viewer,
  { after, limit }: Slice,
): Promise<QueryExecution[]> {
  let query = db.selectFrom('query_executions').selectAll().where('organization_id', '=', organizationId);
  if (!viewer.admin)
    query = query.where((where) =>
      where.or([where('owner_id', 'is', null), where('owner_id', '=', viewer.id)]),
    );
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}
