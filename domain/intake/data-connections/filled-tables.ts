import { AppError } from '../../../data/errors.ts';
import { acting, unrestricted } from '../../../data/postgres/acting.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { isWritable } from '../../tables/tables/grants.ts';
import type { DataConnection } from './data-connections.ts';

/**
 * Refuses to change where the tables of a connection's datasets are filled from, unless all of them may be
 * written; those that may not even be read are not named.
 *
 * @throws AppError admin_required
 */
export async function refuseUnlessFilledTablesWritable(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Pick<DataConnection, 'organization_id' | 'id'>,
): Promise<void> {
  if (acting().principalId === undefined) return;
  const filled = await unrestricted(db, () =>
    db
      .selectFrom('datasets as d')
      .innerJoin('tables as t', (join) =>
        join.onRef('t.organization_id', '=', 'd.organization_id').onRef('t.id', '=', 'd.table_id'),
      )
      .select(['t.readers', 't.writers'])
      .where('d.organization_id', '=', organizationId)
      .where('d.connection_id', '=', id)
      .execute(),
  );
  if (filled.every((table) => isWritable(table))) return;
  throw new AppError(
    'admin_required',
    'Datasets of this connection write to a table that you may not write to. Ask an administrator for write access.',
  );
}
