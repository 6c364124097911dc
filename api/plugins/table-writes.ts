import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Database, inOrganization, type OrganizationTransaction } from '../../data/postgres/client.ts';
import { refuseUnlessWritable, type TableAccess } from '../../domain/tables/tables/grants.ts';

/** Rows are checked under the lock of their table, so that a request of rows costs no further look-up. */
const checksItself = (url: string | undefined) => url?.endsWith('/rows') === true;

interface Named {
  table_id?: string;
  sync_id?: string;
  dataset_id?: string;
  import_id?: string;
  run_id?: string;
}

const fillers = [
  ['sync_id', 'data_syncs'],
  ['dataset_id', 'datasets'],
  ['import_id', 'table_imports'],
  // A run has the id of what it runs.
  ['run_id', 'table_imports'],
  ['run_id', 'snapshot_runs'],
] as const;

/**
 * A route that changes something below a table, or below a data sync, a dataset, an import or a run that
 * fills one, needs a grant to write the table.
 */
export function tableWrites(app: FastifyInstance, db: Database): void {
  async function refuse({ caller, method, params }: FastifyRequest): Promise<void> {
    if (caller === undefined || caller.admin || method === 'GET') return;
    const named = (params ?? {}) as Named;
    if (named.table_id === undefined && fillers.every(([parameter]) => named[parameter] === undefined))
      return;
    const { organizationId } = caller;
    const tables = await inOrganization(db, organizationId, (transaction) =>
      findNamed(transaction, organizationId, named),
    );
    // What is not there is reported by the route itself.
    for (const table of tables) refuseUnlessWritable(table, caller.id);
  }
  app.addHook('preHandler', async (request) => {
    if (!checksItself(request.routeOptions.url)) await refuse(request);
  });
  app.decorate('refuseUngranted', refuse);
}

declare module 'fastify' {
  interface FastifyInstance {
    /** @throws AppError admin_required, unless the caller may write the tables that the path names */
    refuseUngranted(request: FastifyRequest): Promise<void>;
  }
}

function findNamed(
  db: OrganizationTransaction,
  organizationId: string,
  named: Named,
): Promise<TableAccess[]> {
  /** Of a run that is about a table: a build, a profile. */
  const tableOfRun = (runId: string) =>
    db
      .selectFrom('runs')
      .select('resource_id')
      .where('organization_id', '=', organizationId)
      .where('id', '=', runId)
      .where('resource_type', '=', 'table');
  return db
    .selectFrom('tables')
    .select(['readers', 'writers'])
    .where('organization_id', '=', organizationId)
    .where(({ eb, or, selectFrom }) =>
      or([
        ...(named.table_id === undefined ? [] : [eb('id', '=', named.table_id)]),
        ...fillers.flatMap(([parameter, filler]) => {
          const id = named[parameter];
          if (id === undefined) return [];
          return eb('id', 'in', () =>
            selectFrom(filler)
              .select('table_id')
              .where('organization_id', '=', organizationId)
              .where('id', '=', id)
              .where('table_id', 'is not', null)
              .$narrowType<{ table_id: string }>(),
          );
        }),
        ...(named.run_id === undefined ? [] : [eb('id', 'in', () => tableOfRun(named.run_id!))]),
      ]),
    )
    .execute();
}
