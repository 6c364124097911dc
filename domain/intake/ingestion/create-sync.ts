import { AppError, ValidationError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { createdAtColumn } from '../../tables/tables/column-name.ts';
import { findPhysicalTable } from '../../tables/tables/columns.ts';
import { refuseUnlessWritable } from '../../tables/tables/grants.ts';
import { getTable, type TableRow } from '../../tables/tables/registry.ts';
import { type DataSync, insertDataSync } from './data-syncs.ts';

interface SyncDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

export interface SyncRequest {
  organizationId: string;
  id: string;
  tableId: string;
  provider: string;
  generation: string;
  keyColumns: string[];
  callerId: string;
}

/** Creates a data sync of a data table; its key columns must be columns of that table. */
export async function createDataSync(deps: SyncDeps, request: SyncRequest): Promise<DataSync> {
  const { organizationId, keyColumns } = request;
  const table = await inOrganization(deps.db, organizationId, (db) =>
    getTable(db, organizationId, request.tableId),
  );
  refuseUnlessWritable(table);
  if (table.kind !== 'data')
    throw new AppError('not_appendable', `You can't send batches to a table of the kind ${table.kind}.`);
  if (keyColumns.length > 0) await refuseUnknownKeys(deps, table, keyColumns);
  return inOrganization(deps.db, organizationId, (db) =>
    insertDataSync(db, {
      organization_id: organizationId,
      id: request.id,
      table_id: table.id,
      provider: request.provider,
      generation: request.generation,
      key_columns: keyColumns,
      created_by: request.callerId,
    }),
  );
}

async function refuseUnknownKeys(
  { lake }: SyncDeps,
  table: TableRow,
  keys: readonly string[],
): Promise<void> {
  const { schema } = await lake.catalog.get(table.organization_id);
  const physical = await findPhysicalTable(lake.catalogPool, schema, table.name);
  const faults = keys.flatMap((key, index) => {
    const isKnown = key !== createdAtColumn && physical?.columns.some(({ name }) => name === key) === true;
    const isRepeated = keys.indexOf(key) !== index;
    if (isKnown && !isRepeated) return [];
    const msg = isRepeated
      ? 'A column can be listed only once in the key.'
      : 'The table has no column with this name that can be a key.';
    return [{ loc: ['body', 'key_columns', index], msg, type: 'value_error' }];
  });
  if (faults.length > 0) throw new ValidationError(faults);
}
