import type { FastifyInstance } from 'fastify';
import { type Database, inOrganization, type OrganizationTransaction } from '../../data/postgres/client.ts';
import { refuseUnlessWritable, type TableAccess } from '../../domain/tables/tables/grants.ts';

/** Rows are checked under the lock of their table, so that a request of rows costs no further look-up. */
const checksItself = (url: string | undefined) => url?.endsWith('/rows') === true;

interface Named {
  table_id?: string;
  sync_id?: string;
  dataset_id?: string;
}

/**
 * A route that changes something below a table, or below a data sync or a dataset that fills one, needs a
 * grant to write the table.
 */
export function tableWrites(app: FastifyInstance, db: Database): void {
  app.addHook('preHandler', async ({ caller, method, params, routeOptions }) => {
    if (caller === undefined || caller.admin || method === 'GET' || checksItself(routeOptions.url)) return;
    const named = (params ?? {}) as Named;
    if (named.table_id === undefined && named.sync_id === undefined && named.dataset_id === undefined) return;
    const { organizationId } = caller;
    const table = await inOrganization(db, organizationId, (transaction) =>
      findNamed(transaction, organizationId, named),
    );
    // What is not there is told by the route itself.
    if (table !== undefined) refuseUnlessWritable(table, caller.id);
  });
}

function findNamed(
  db: OrganizationTransaction,
  organizationId: string,
  { table_id: tableId, sync_id: syncId, dataset_id: datasetId }: Named,
): Promise<TableAccess | undefined> {
  const query = db
    .selectFrom('tables')
    .select(['readers', 'writers'])
    .where('organization_id', '=', organizationId);
  if (tableId !== undefined) return query.where('id', '=', tableId).executeTakeFirst();
  const [table, id] =
    syncId === undefined ? (['datasets', datasetId!] as const) : (['data_syncs', syncId] as const);
  return query
    .where('id', 'in', (of) =>
      of
        .selectFrom(table)
        .select('table_id')
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('table_id', 'is not', null)
        .$narrowType<{ table_id: string }>(),
    )
    .executeTakeFirst();
}
