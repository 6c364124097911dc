import type { FastifyInstance } from 'fastify';
import { type Database, inOrganization } from '../../data/postgres/client.ts';
import { refuseUnlessWritable } from '../../domain/tables/tables/grants.ts';
import { findTable } from '../../domain/tables/tables/tables.ts';

/** Rows are checked under the lock of their table, so that a request of rows costs no look-up more. */
const checksItself = (url: string | undefined) => url?.endsWith('/rows') === true;

/** A route that changes something below a table needs a grant to write the table. */
export function tableWrites(app: FastifyInstance, db: Database): void {
  app.addHook('preHandler', async ({ caller, method, params, routeOptions }) => {
    if (caller === undefined || caller.admin || method === 'GET' || checksItself(routeOptions.url)) return;
    const { table_id: id } = (params ?? {}) as { table_id?: string };
    if (id === undefined) return;
    const { organizationId } = caller;
    const table = await inOrganization(db, organizationId, (transaction) =>
      findTable(transaction, organizationId, id),
    );
    // What is not there is told by the route itself.
    if (table !== undefined) refuseUnlessWritable(table, caller.id);
  });
}
