import type { LakeDeps } from '../../../data/lake/commit.ts';
import { newestVersions } from '../../../data/lake/ledger.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { type BuildFailure, builtOf, type Defined, failureOf } from '../derived-relations/definitions.ts';
import { relationRefs } from '../derived-relations/describe.ts';
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
export function calculationStates(
  deps: StatusDeps,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, CalculationState>> {
  return derive(deps, organizationId, ids, async ({ around, stale, work }, db) => {
    const sources = new Set(ids.flatMap((id) => sourcesOf(around, id)));
    const names = await relationRefs(db, organizationId, [...sources]);
    return (id) => stateOf(around, id, stale(id), work(id), names);
  });
}

/** The same without what a state says besides, for many tables. */
export function calculationStatuses(
  deps: StatusDeps,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, CalculationStatus>> {
  return derive(
    deps,
    organizationId,
    ids,
    async ({ around, stale, work }) =>
      (id) =>
        statusOf(around.defined.get(id), () => stale(id), work(id)),
  );
}

/** What is known about calculated tables at one moment. */
interface Seen {
  around: Surroundings;
  stale(id: string): Staleness;
  work(id: string): Work | undefined;
}

async function derive<State>(
  { db, lake: { catalog, catalogPool } }: StatusDeps,
  organizationId: string,
  ids: readonly string[],
  rule: (seen: Seen, db: OrganizationTransaction) => Promise<(id: string) => State>,
): Promise<Map<string, State>> {
  if (ids.length === 0) return new Map();
  const { schema } = await catalog.get(organizationId);
  const versions = await newestVersions(catalogPool, schema);
  return inOrganization(db, organizationId, async (transaction) => {
    const around = await surroundings(transaction, organizationId, ids, versions);
    const active = await activeMaterializations(transaction, organizationId);
    const builds = await listBuilds(transaction, organizationId, { activeOnly: true });
    const work = (id: string) => workOn(id, active, builds);
    const of = await rule({ around, stale: staleness(around), work }, transaction);
    return new Map(ids.map((id) => [id, of(id)]));
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

/** The engine quotes values, so its words are for those who may read all that the table reads. */
function shownFailure(
  { code, message, refusal }: BuildFailure,
  mayReadSources: boolean,
): CalculationState['error'] {
  if (code !== 'query_failed' || mayReadSources) return { code, message, ...refusal };
  return {
    code,
    message: "The build failed. The reason is hidden, because you can't read all sources of the table.",
  };
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
  const mayReadSources = sourcesOf(around, id).every((tableId) => names.has(tableId));
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
    error: failure === undefined ? null : shownFailure(failure, mayReadSources),
  };
}
