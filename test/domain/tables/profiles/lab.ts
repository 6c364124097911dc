import { newId } from '../../../../data/ids.ts';
import { commitOperations } from '../../../../data/lake/commit.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import type { ColumnProfile } from '../../../../domain/tables/profiles/column-profile.ts';
import { type ComputeOptions, computeProfile } from '../../../../domain/tables/profiles/compute.ts';
import { reserveTable, tableStates } from '../../../../domain/tables/tables/registry.ts';
import type { TestClient, Workspace } from '../../../support/workspace.ts';

/** An imported table of any types: what a SELECT of the engine gives. */
export async function tableOf(
  workspace: Workspace,
  { organizationId }: TestClient,
  select: string,
): Promise<{ id: string; name: string }> {
  const { db, lake: lakes } = workspace.deps;
  const id = newId('tbl');
  const name = `profiled "${id}"`;
  await inOrganization(db, organizationId, (transaction) =>
    reserveTable(transaction, { organization_id: organizationId, id, name, kind: 'import' }),
  );
  const lake = await lakes.catalog.get(organizationId);
  await lakes.locks.hold(id, () =>
    commitOperations(lakes, lake, async (connection) => {
      await connection.run(`CREATE TABLE ${identifier(name)} AS ${select}`);
      const counted = await connection.read(`SELECT count(*) FROM ${identifier(name)}`);
      const rowsAdded = Number(counted.rows[0]![0]);
      const operation = { operation: 'create', rowsAdded, rowsRemoved: 0, runId: null } as const;
      return [{ ...operation, id: `create:${id}`, tableId: id, committedBy: 'test' }];
    }),
  );
  await inOrganization(db, organizationId, (transaction) =>
    tableStates.move(transaction, { organization_id: organizationId, id }, 'creating', 'ready'),
  );
  return { id, name };
}

/** The profile of a table, without a process. */
export function computed(
  workspace: Workspace,
  { organizationId }: TestClient,
  tableId: string,
  options: Partial<ComputeOptions> = {},
) {
  const { signal } = new AbortController();
  return computeProfile(
    workspace.deps,
    { organizationId, tableId, runId: newId('run') },
    { progress: () => undefined, signal, ...options },
  );
}

/** The profile of the columns that a SELECT of the engine gives. */
export async function columnsOf(
  workspace: Workspace,
  client: TestClient,
  select: string,
): Promise<Record<string, ColumnProfile>> {
  const { id } = await tableOf(workspace, client, select);
  const { columns } = await computed(workspace, client, id);
  return Object.fromEntries(columns.map((column) => [column.name, column]));
}

export const countsOf = ({ histogram }: ColumnProfile): number[] => histogram.map(({ count }) => count);
export const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
