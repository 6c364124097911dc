import type { LakeDeps } from '../../../data/lake/commit.ts';
import { newestVersions } from '../../../data/lake/ledger.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { builtOf, type Defined, failureOf } from '../definitions/definitions.ts';
import { relationRefs } from '../definitions/describe.ts';
import { type Staleness, type Surroundings, sourcesOf, staleness, surroundings } from './freshness.ts';
import { activeMaterializations, type Build, listBuilds, type Materialization } from './materializations.ts';

export type CalculationStatus = 'unmaterialized' | 'queued' | 'running' | 'fresh' | 'stale' | 'failed';

/** How fresh a calculated table is, found out anew at each look. */
export interface CalculationState {
  status: CalculationStatus;
  tableVersion: number | null;
  materializedAt: string | null;
  rowCount: number | null;
  inputs: { tableId: string; name: string; versionRead: number | null; currentVersion: number | null }[];
  staleBecause: string[];
  lastRefresh: { mode: 'full' | 'incremental'; rowsRead: number; elapsedMs: number } | null;
  runId: string | null;
  error: { code: string; message: string } | null;
}

interface StatusDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

/** The states of these calculated tables, by id. */
export async function calculationStates(
  { db, lake: { catalog, catalogPool } }: StatusDeps,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, CalculationState>> {
  if (ids.length === 0) return new Map();
  const { schema } = await catalog.get(organizationId);
  const versions = await newestVersions(catalogPool, schema);
  return inOrganization(db, organizationId, async (transaction) => {
    const around = await surroundings(transaction, organizationId, ids, versions);
    const active = await activeMaterializations(transaction, organizationId);
    const builds = await listBuilds(transaction, organizationId, { activeOnly: true });
    const names = await relationRefs(transaction, organizationId, [
      ...new Set(ids.flatMap((id) => sourcesOf(around, id))),
    ]);
    const stale = staleness(around);
    return new Map(ids.map((id) => [id, stateOf(around, id, stale(id), workOn(id, active, builds), names)]));
  });
}

/** The same without what a state says besides, for many tables. */
export async function calculationStatuses(
  { db, lake: { catalog, catalogPool } }: StatusDeps,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, CalculationStatus>> {
  if (ids.length === 0) return new Map();
  const { schema } = await catalog.get(organizationId);
  const versions = await newestVersions(catalogPool, schema);
  return inOrganization(db, organizationId, async (transaction) => {
    const around = await surroundings(transaction, organizationId, ids, versions);
    const active = await activeMaterializations(transaction, organizationId);
    const builds = await listBuilds(transaction, organizationId, { activeOnly: true });
    const stale = staleness(around);
    return new Map(
      ids.map((id) => [id, statusOf(around.defined.get(id), () => stale(id), workOn(id, active, builds))]),
    );
  });
}

interface Work {
  status: 'queued' | 'running';
  runId: string;
}

function workOn(id: string, active: readonly Materialization[], builds: readonly Build[]): Work | undefined {
  const build = builds.find(({ table_id: tableId }) => tableId === id);
  if (build !== undefined)
    return { status: build.status === 'running' ? 'running' : 'queued', runId: build.run_id };
  const waiting = active.find((row) => row.table_id === id && row.snapshot_id === null);
  return waiting === undefined ? undefined : { status: 'queued', runId: waiting.id };
}

function statusOf(
  definition: Defined | undefined,
  stale: () => Staleness,
  work: Work | undefined,
): CalculationStatus {
  if (work !== undefined) return work.status;
  if (definition !== undefined && failureOf(definition) !== undefined) return 'failed';
  if (definition === undefined || builtOf(definition) === undefined) return 'unmaterialized';
  return stale().length > 0 ? 'stale' : 'fresh';
}

function stateOf(
  around: Surroundings,
  id: string,
  stale: Staleness,
  work: Work | undefined,
  names: ReadonlyMap<string, { name: string }>,
): CalculationState {
  const definition = around.defined.get(id);
  const built = definition === undefined ? undefined : builtOf(definition);
  const failure = definition === undefined ? undefined : failureOf(definition);
  return {
    status: statusOf(definition, () => stale, work),
    tableVersion: built?.version ?? null,
    materializedAt: built?.builtAt ?? null,
    rowCount: built?.rowCount ?? null,
    // Tables that the reader may not see are not named.
    inputs: sourcesOf(around, id).flatMap((tableId) => {
      const known = names.get(tableId);
      if (known === undefined) return [];
      const versionRead = built?.sources[tableId] ?? null;
      return [
        { tableId, name: known.name, versionRead, currentVersion: around.versions.get(tableId) ?? null },
      ];
    }),
    staleBecause: built === undefined ? [] : [...stale],
    lastRefresh:
      built === undefined ? null : { mode: built.mode, rowsRead: built.rowsRead, elapsedMs: built.elapsedMs },
    runId: work?.runId ?? failure?.runId ?? built?.runId ?? null,
    error: failure === undefined ? null : { code: failure.code, message: failure.message },
  };
}
