import { AppError, isRetryable } from '../../../data/errors.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { currentDefinitions } from '../definition-analyses/analyses.ts';
import { type BuildRecord, builtOf, getDefinition, listDefined } from '../derived-relations/definitions.ts';
import type { Built, BuiltFile } from '../query/build/contract.ts';
import { withOutputLimit } from '../staging/output-limit.ts';
import {
  commitOnce,
  giveUp,
  removeBelow,
  removeStaged,
  type StagedWork,
  sizeBelow,
} from '../staging/staging.ts';
import { addFiles } from '../tables/add-files.ts';
import type { LakeColumn } from '../tables/columns.ts';
import { replaceWithFiles } from '../tables/replace.ts';
import { type Gated, refusedBy } from '../verification/gate.ts';
import { stageOnce } from '../verification/stage-once.ts';
import { isWorthKeeping, type ShorterWay, shorterWay } from './added.ts';
import { type PlannedRead, planBuild } from './build-plan.ts';
import type { BuildDeps } from './deps.ts';
import { type BuildId, findBuild, getMaterialization, moveBuild } from './materializations.ts';

/** What is staged for a table, and what it was made from. */
interface BuildManifest {
  columns: LakeColumn[];
  files: BuiltFile[];
  rows: number;
  /** The version of the table that gets these rows; null if they are its whole content. */
  addsTo: number | null;
  record: Omit<BuildRecord, 'version' | 'builtAt'>;
}

/**
 * Longest wait of an attempt for a process. It holds a slot of its worker meanwhile, which the work of other
 * organizations needs: the next attempt comes after a timer.
 */
const processWaitMs = 5_000;

const workOf = ({ organizationId, runId, tableId }: BuildId): StagedWork => ({
  organizationId,
  id: `${runId}-${tableId}`,
  operationId: `build:${runId}:${tableId}`,
  manifestKey: `builds/${organizationId}/${runId}/${tableId}.json`,
});

/**
 * Writes a table's new content to files and notes what it was made from, without holding any lock; the rows
 * of it. If the lake already has the commit, nothing is built again.
 */
export async function stageBuild(deps: BuildDeps, id: BuildId, signal: AbortSignal): Promise<number> {
  const write = (prefixUrl: string) => writeBuild(deps, id, prefixUrl, signal);
  return (await stageOnce<{ rows: number }>(deps, workOf(id), write, signal))?.rows ?? 0;
}

async function writeBuild(
  deps: BuildDeps,
  id: BuildId,
  prefixUrl: string,
  signal: AbortSignal,
): Promise<{ staged: BuildManifest | { rows: 0 }; gated: Gated | undefined }> {
  const { organizationId, runId, tableId } = id;
  // Renamed columns are followed, and what the engine says about the query is known.
  const current = await currentDefinitions(deps, organizationId, [tableId]);
  const lake = await deps.lake.catalog.get(organizationId);
  const startedAt = performance.now();
  const { planned, materialization } = await inOrganization(deps.db, organizationId, async (db) => {
    const materialization = await getMaterialization(db, organizationId, runId);
    const build = await findBuild(db, id);
    if (build?.status === 'succeeded') return { planned: undefined, materialization };
    if (build?.status === 'waiting') await moveBuild(db, id, 'waiting', 'running');
    else if (build?.status !== 'running') throw new AppError('conflict', 'The build has ended.');
    return { planned: await planBuild(deps.lake, db, materialization, tableId), materialization };
  });
  if (planned === undefined) return { staged: { rows: 0 }, gated: undefined };
  const way = await shorterWay(deps, current, planned);
  const { definition, relations, atVersions } = planned;
  const task = {
    kind: 'build',
    location: lake.reader,
    sql: definition.query,
    relations,
    atVersions,
  } as const;
  const { timeoutMs, maxBytes } = deps.buildLimits;
  const limits = { timeoutMs, waitMs: processWaitMs, untilSettled: true };
  const advice = 'Let the query return fewer rows or columns, or ask the operator to raise BUILD_MAX_GIB.';
  const written = () => sizeBelow(deps, prefixUrl);
  const built = await withOutputLimit({ written, maxBytes, signal, advice }, (until) =>
    deps.builds.perform({ ...task, ...way, prefixUrl }, { ...limits, signal: until }),
  );
  const groups = built.groupFiles.reduce((sum, { rows }) => sum + rows, 0);
  const isKept = isWorthKeeping(groups, planned.rowsRead);
  if (built.groupFiles.length > 0 && !isKept) await removeBelow(deps, `${prefixUrl}groups/`);
  const manifest = manifestOf(id, planned, way, { ...built, groupFiles: isKept ? built.groupFiles : [] });
  manifest.record.elapsedMs = Math.round(performance.now() - startedAt);
  const gated: Gated = {
    ...{ organizationId, tableId, tableName: definition.name },
    ...{ columns: manifest.columns, files: manifest.files },
    how: { kind: manifest.addsTo === null ? 'replace' : 'append' },
    process: {
      ...{ id: runId, startedAt: materialization.created_at, projectId: null },
      by: materialization.created_by,
    },
  };
  return { staged: manifest, gated };
}

function manifestOf(
  id: BuildId,
  { definition, read, sources, views, rowsRead }: PlannedRead,
  { added }: ShorterWay,
  built: Built,
): BuildManifest {
  const before = builtOf(definition);
  const addsTo = built.mode === 'rows' ? before : undefined;
  const isWhole = built.mode === 'full';
  return {
    columns: built.columns.map((column) => ({ ...column, nullable: true, typing: 'declared' })),
    files: built.files,
    rows: built.rows,
    addsTo: addsTo?.version ?? null,
    record: {
      runId: id.runId,
      operationId: workOf(id).operationId,
      revision: definition.revision,
      read,
      sources,
      views,
      mode: isWhole ? 'full' : 'incremental',
      rowsRead: isWhole ? rowsRead : (added?.rows ?? 0),
      rowCount: (addsTo?.rowCount ?? 0) + built.rows,
      shape: built.shape,
      groupFiles: built.groupFiles.map(({ url }) => url),
      elapsedMs: 0,
    },
  };
}

/** Commits what is staged, exactly once, as the table's whole content; false if the build was ended. */
export async function commitBuild(deps: BuildDeps, id: BuildId): Promise<boolean> {
  const { organizationId, runId, tableId } = id;
  const work = workOf(id);
  const { build, name, createdBy } = await inOrganization(deps.db, organizationId, async (db) => ({
    build: await findBuild(db, id),
    name: (await listDefined(db, organizationId, { ids: [tableId] }))[0]?.name,
    createdBy: (await getMaterialization(db, organizationId, runId)).created_by,
  }));
  if (build?.status === 'succeeded') return true;
  if (build?.status !== 'running' || name === undefined) return false;
  const { operationId } = work;
  const target = { organizationId, tableId, tableName: name, operationId, runId, committedBy: createdBy };
  const before = await commitOnce(deps, work, {
    commit: (staged: BuildManifest) =>
      staged.addsTo === null
        ? replaceWithFiles(deps.lake, { ...target, staged, beside: undefined })
        : addFiles(deps.lake, { ...target, staged, toVersion: staged.addsTo }),
    record: (db, { record }, version) =>
      recordBuild(db, id, { ...record, version, builtAt: new Date().toISOString() }),
  });
  // What a crash leaves of it here is removed by the lake's maintenance, which knows no such files.
  const [superseded] = before?.groupFiles ?? [];
  if (superseded !== undefined && before?.operationId !== operationId)
    await removeBelow(deps, superseded.slice(0, superseded.lastIndexOf('/') + 1));
  return true;
}

/** Ends a build and makes it its table's last one, unless a later one is; the one before. */
async function recordBuild(
  db: OrganizationTransaction,
  id: BuildId,
  record: BuildRecord,
): Promise<BuildRecord | undefined> {
  const { organizationId, tableId } = id;
  await moveBuild(db, id, 'running', 'succeeded', { built: record, error: null });
  const before = builtOf(await getDefinition(db, organizationId, tableId, 'update'));
  if (before !== undefined && before.version > record.version) return undefined;
  await db
    .updateTable('definitions')
    .set({ built: JSON.stringify(record), failure: null })
    .where('organization_id', '=', organizationId)
    .where('id', '=', tableId)
    .execute();
  return before;
}

/** Removes staged files that no commit has added. */
export async function discardBuild(deps: BuildDeps, id: BuildId): Promise<void> {
  await removeStaged(deps, workOf(id));
}

/** Makes sure that a build whose process is gone cannot commit any more; false if the lake has its commit. */
export const giveUpBuild = (deps: BuildDeps, id: BuildId): Promise<boolean> =>
  giveUp(deps, workOf(id), () => discardBuild(deps, id));

/** Keeps why an attempt failed, in case it was the last one; whether a retry cannot help. */
export async function recordBuildFailure(db: Database, id: BuildId, error: unknown): Promise<boolean> {
  if (!(error instanceof AppError)) return false;
  const { code, message } = error;
  await inOrganization(db, id.organizationId, (transaction) =>
    transaction
      .updateTable('builds')
      .set({ error: JSON.stringify({ code, message, ...refusedBy(error) }) })
      .where('organization_id', '=', id.organizationId)
      .where('run_id', '=', id.runId)
      .where('table_id', '=', id.tableId)
      .where('finished_at', 'is', null)
      .execute(),
  );
  return !isRetryable(error);
}
