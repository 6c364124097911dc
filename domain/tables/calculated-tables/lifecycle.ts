import type { Logger } from 'pino';
import { versionsAt } from '../../../data/lake/ledger.ts';
import { unrestricted } from '../../../data/postgres/acting.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { bestEffort, type ProcessDeps } from '../../../data/processes/processes.ts';
import { wakeMaterializationSignal } from '../../../workflows/tables/materialization/names.ts';
import { reportRunProgress, showSteps } from '../../workspace/runs/runs.ts';
import type { BuildFailure } from '../derived-relations/definitions.ts';
import { loadGraph, reachable } from '../derived-relations/graph.ts';
import {
  beginAtSnapshot,
  endOf,
  endQueued,
  type Queue,
  type QueuedRunDeps,
  type QueuedRunEnd,
  type QueuedRunId,
  type Turn,
} from '../queued-runs/queued-runs.ts';
import { staleness, surroundings } from './freshness.ts';
import {
  activeMaterializations,
  type Build,
  findMaterialization,
  listBuilds,
  lockBuilds,
  type Materialization,
  moveBuild,
  updateMaterialization,
} from './materializations.ts';
import { type PlannedBuild, planOf } from './plan.ts';
import { materializationProcess } from './process.ts';

/** How a run ended, in numbers of tables. */
export interface MaterializationEnd extends QueuedRunEnd {
  built: number;
  failed: number;
  skipped: number;
}

/** Their turns depend on what they build, not on their number. */
const queue: Queue<Materialization> = {
  ...{ kind: 'materialize', atOnce: Number.POSITIVE_INFINITY },
  ...{ pinsOf: 'materialization', find: findMaterialization },
};

/**
 * queued → running: pins the lake's newest snapshot, plans what is stale at it, and claims those tables.
 * `waiting` while another run has claimed some of them: all of a plan is claimed in one transaction, so runs
 * over the same tables take turns and none waits for a part of another.
 */
export function beginMaterialization(deps: QueuedRunDeps, id: QueuedRunId): Promise<Turn> {
  const { organizationId, runId } = id;
  return beginAtSnapshot(deps, id, queue, async (db, row, { schema, snapshotId }) => {
    await lockBuilds(db, organizationId);
    const graph = await loadGraph(db, organizationId);
    const ids = [row.table_id, ...(row.downstream ? reachable([row.table_id], graph.readBy) : [])];
    const known = [...ids, ...reachable(ids, graph.reads)];
    const versions = await versionsAt(deps.lake.catalogPool, schema, known, snapshotId);
    const around = await surroundings(db, organizationId, ids, versions);
    const plan = planOf(around, row, staleness(around));
    const claimed = await listBuilds(db, organizationId, { activeOnly: true });
    if (claimed.some((build) => plan.some(({ tableId }) => tableId === build.table_id))) return undefined;
    await insertBuilds(db, row, plan);
    await updateMaterialization(db, organizationId, runId, { snapshot_id: snapshotId });
    await showProgress(db, row, await listBuilds(db, organizationId, { runId }));
    return [];
  });
}

async function insertBuilds(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Materialization,
  plan: readonly PlannedBuild[],
): Promise<void> {
  if (plan.length === 0) return;
  await db
    .insertInto('builds')
    .values(
      plan.map(({ tableId, after }) => ({
        organization_id: organizationId,
        run_id: id,
        table_id: tableId,
        status: 'waiting' as const,
        after,
      })),
    )
    .execute();
}

export const isOver = ({ finished_at: finishedAt }: Build): boolean => finishedAt !== null;

/** Ends a build that did not succeed, and keeps why. */
export function endBuild(
  db: Database,
  { organizationId, runId, tableId }: QueuedRunId & { tableId: string },
  status: 'failed' | 'cancelled',
): Promise<void> {
  return inOrganization(db, organizationId, async (transaction) => {
    const builds = await listBuilds(transaction, organizationId, { runId });
    const build = builds.find(({ table_id: id }) => id === tableId);
    if (build === undefined || isOver(build)) return;
    const error =
      status === 'failed' ? ((build.error as typeof internalFailure | null) ?? internalFailure) : null;
    await moveBuild(transaction, { organizationId, runId, tableId }, build.status, status, { error });
    if (error === null) return;
    const { code, message, ...refusal } = error;
    const failure: BuildFailure = { code, message, refusal, runId, at: new Date().toISOString() };
    await transaction
      .updateTable('definitions')
      .set({ failure: JSON.stringify(failure) })
      .where('organization_id', '=', organizationId)
      .where('id', '=', tableId)
      .execute();
  });
}

const internalFailure = {
  code: 'internal_error',
  message:
    'The build failed because of an internal error. Start it again, or give the id of its run to the operator.',
};

/** Ends the run and what is left of its builds, and releases what it had claimed. */
export function endMaterialization(
  db: Database,
  id: QueuedRunId,
  isCancelled: boolean,
): Promise<MaterializationEnd> {
  const { organizationId, runId } = id;
  return inOrganization(db, organizationId, async (transaction) => {
    const run = await endQueued(transaction, id, queue, isCancelled, (row, { wasAsked }) =>
      finish(transaction, row, wasAsked),
    );
    const builds = await listBuilds(transaction, organizationId, { runId });
    const [built, failed, skipped] = [
      countOf(builds, 'succeeded'),
      countOf(builds, 'failed'),
      countOf(builds, 'skipped'),
    ];
    return { ...endOf(run), built, failed, skipped };
  });
}

async function finish(db: OrganizationTransaction, row: Materialization, wasAsked: boolean) {
  const { organization_id: organizationId, id: runId } = row;
  for (const build of await listBuilds(db, organizationId, { runId })) {
    if (isOver(build)) continue;
    const id = { organizationId, runId, tableId: build.table_id };
    await moveBuild(db, id, build.status, wasAsked ? 'cancelled' : 'failed', {
      error: wasAsked ? null : internalFailure,
    });
  }
  const builds = await listBuilds(db, organizationId, { runId });
  await showProgress(db, row, builds);
  await updateMaterialization(db, organizationId, runId, { finished_at: new Date() });
  const status = statusOf(row, builds, wasAsked);
  return {
    status,
    ...(status === 'failed'
      ? { error: JSON.stringify(failureOf(row, await shownBuilds(db, organizationId, builds))) }
      : { progress: 1 }),
    output: JSON.stringify(outputOf(row, builds)),
  };
}

const countOf = (builds: readonly Build[], status: Build['status']): number =>
  builds.filter((build) => build.status === status).length;

function statusOf(row: Materialization, builds: readonly Build[], wasAsked: boolean): QueuedRunEnd['status'] {
  const wasBegun = row.snapshot_id !== null;
  if (wasBegun && countOf(builds, 'succeeded') === builds.length) return 'succeeded';
  if (countOf(builds, 'failed') > 0) return 'failed';
  return wasAsked || countOf(builds, 'cancelled') > 0 ? 'cancelled' : 'failed';
}

function failureOf({ mode }: Materialization, builds: readonly Build[]): { code: string; message: string } {
  const failed = builds.filter(({ status }) => status === 'failed');
  const [first] = failed;
  const error = (first?.error as { code: string; message: string } | null | undefined) ?? internalFailure;
  if (mode === 'materialize' || first === undefined) return error;
  // Who sees the run may not see that table, whose step has the engine's words.
  const others = failed.length > 1 ? ` ${failed.length - 1} more failed.` : '';
  const message = `${first.table_id} could not be built. Its step and its status show the reason.${others}`;
  return { code: error.code, message };
}

function outputOf({ mode }: Materialization, builds: readonly Build[]): object | null {
  const built = builds.flatMap(({ table_id: tableId, status, built: made }) => {
    const record = made as { version: number; rowCount: number; mode: string } | null;
    if (status !== 'succeeded' || record === null) return [];
    return [{ tableId, tableVersion: record.version, rowCount: record.rowCount, mode: record.mode }];
  });
  if (mode === 'materialize') return built[0] ?? null;
  return {
    materialized: built.map(({ tableId, tableVersion, mode: how }) => ({ tableId, tableVersion, mode: how })),
    skipped: builds.filter(({ status }) => status === 'skipped').map(({ table_id: id }) => id),
  };
}

/**
 * Builds as a run shows them. The engine quotes values of what it reads, and people who can read the built
 * table see its run. If some tables are restricted, only the status of the table shows the reason, because it
 * knows its reader.
 */
async function shownBuilds(
  db: OrganizationTransaction,
  organizationId: string,
  builds: readonly Build[],
): Promise<readonly Build[]> {
  const isQuoted = ({ error }: Build) => (error as { code: string } | null)?.code === 'query_failed';
  if (!builds.some(isQuoted)) return builds;
  const restricted = await unrestricted(db, () =>
    db
      .selectFrom('tables')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('readers', 'is not', null)
      .limit(1)
      .execute(),
  );
  if (restricted.length === 0) return builds;
  return builds.map((build) => {
    if (!isQuoted(build)) return build;
    const message = `${build.table_id} could not be built. Its status shows the reason to anyone who can read its sources.`;
    return { ...build, error: { ...(build.error as object), message } as Build['error'] };
  });
}

/** A step for each table whose turn has come. */
export async function showProgress(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Materialization,
  builds: readonly Build[],
): Promise<void> {
  const shown = await shownBuilds(db, organizationId, builds);
  const steps = shown.flatMap(({ table_id: tableId, status, error }) =>
    status === 'waiting'
      ? []
      : [
          {
            id: tableId,
            name: `Build ${tableId}`,
            type: 'build',
            status,
            detail: null,
            error: error as { code: string; message: string } | null,
          },
        ],
  );
  await showSteps(db, organizationId, id, steps);
  const over = builds.filter(isOver).length;
  if (builds.length > 0) await reportRunProgress(db, organizationId, id, over / builds.length);
}

/** Wakes runs that may have waited for this one. They also poll, so a lost signal only causes a delay. */
export async function wakeWaiting(
  deps: ProcessDeps & { logger: Pick<Logger, 'warn'> },
  organizationId: string,
): Promise<void> {
  const active = await inOrganization(deps.db, organizationId, (db) =>
    activeMaterializations(db, organizationId),
  );
  for (const { id, snapshot_id: snapshotId } of active) {
    if (snapshotId !== null) continue;
    const workflowId = materializationProcess.workflowId(id);
    await bestEffort(deps, workflowId, deps.processes.signal(workflowId, wakeMaterializationSignal));
  }
}
