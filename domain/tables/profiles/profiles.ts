import type { Selectable } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { findStatistics } from '../../../data/lake/ledger.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { type Run, runStates } from '../../workspace/runs/runs.ts';
import { getTable } from '../tables/registry.ts';
import type { ColumnProfile } from './column-profile.ts';
import type { ComputedProfile } from './compute.ts';
import { refuseUnlessProfiled } from './content.ts';
import { findNewestRun, type ProfileId } from './runs.ts';

/** The profile of a table, and whether the table has changed since. */
export interface ShownProfile {
  row: Selectable<DB['table_profiles']>;
  columns: ColumnProfile[];
  isStale: boolean;
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    table_profiles: {
      columns: Document<ColumnProfile[]>;
    };
  }
}

interface Deps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

/**
 * The table's last profile.
 *
 * @throws AppError not_materialized before the first one
 */
export async function getProfile(
  { db, lake: lakes }: Deps,
  organizationId: string,
  tableId: string,
): Promise<ShownProfile> {
  const row = await inOrganization(db, organizationId, async (transaction) => {
    refuseUnlessProfiled(await getTable(transaction, organizationId, tableId));
    const found = await transaction
      .selectFrom('table_profiles')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('table_id', '=', tableId)
      .executeTakeFirst();
    if (found === undefined)
      throw noProfile(tableId, await findNewestRun(transaction, organizationId, tableId));
    return found;
  });
  const lake = await lakes.catalog.get(organizationId);
  const version = (await findStatistics(lakes.catalogPool, lake.schema, tableId))?.version;
  return { row, columns: row.columns, isStale: version !== row.version };
}

/** The last profiles of these tables that the transaction may see, by table. */
export async function listProfiles(
  db: OrganizationTransaction,
  organizationId: string,
  tableIds: readonly string[],
): Promise<Map<string, Omit<ShownProfile, 'isStale'>>> {
  const rows = await db
    .selectFrom('table_profiles')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('table_id', 'in', ['', ...tableIds])
    .execute();
  return new Map(rows.map((row) => [row.table_id, { row, columns: row.columns }]));
}

/** Says what became of the first one, because a run without a project is shown nowhere else. */
function noProfile(tableId: string, run: Run | undefined): AppError {
  const error = run?.error as { code: string; message: string } | null | undefined;
  const isActive = run !== undefined && !runStates.isEnd(run.status);
  const state = isActive ? ` One is being computed (${Math.floor(run.progress * 100)} %).` : '';
  const failure =
    isActive || error == null ? '' : ` The last attempt failed with ${error.code}: ${error.message}`;
  return new AppError(
    'not_materialized',
    `The table has no profile yet. Compute one with POST /v1/tables/${tableId}/profile.${state}${failure}`,
  );
}

/** Replaces the profile of the table. */
export async function putProfile(
  db: OrganizationTransaction,
  { organizationId, tableId, runId }: ProfileId,
  { version, rowCount, sampled, columns }: ComputedProfile,
): Promise<void> {
  const profile = {
    version,
    computed_at: new Date(),
    row_count: rowCount,
    sampled,
    columns: JSON.stringify(columns, storable),
    run_id: runId,
  };
  await db
    .insertInto('table_profiles')
    .values({ organization_id: organizationId, table_id: tableId, ...profile })
    .onConflict((conflict) => conflict.columns(['organization_id', 'table_id']).doUpdateSet(profile))
    .execute();
}

/** PostgreSQL's jsonb cannot contain NUL, which texts of a lake may. */
const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\u0000', '\ufffd') : value;
