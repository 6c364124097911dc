import { AppError, notFound } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { startRun } from '../../workspace/runs/kind.ts';
import { countUnfinished, deleteRun, findRun, insertRun, type Run } from '../../workspace/runs/runs.ts';
import { snapshotShowing } from '../tables/versions.ts';
import { getTestDefinition } from './definitions.ts';
import { requestedSet } from './preview.ts';
import { verificationProcess, verificationRuns } from './process.ts';
import { testableTables } from './sources.ts';
import { insertVerification, removeVerification } from './verifications.ts';

export interface VerificationRequest {
  organizationId: string;
  runId: string;
  callerId: string;
  /** All tables that have tests, unless tables, a project or definitions are named. */
  tableIds?: readonly string[] | undefined;
  projectId?: string | undefined;
  definitionIds?: readonly string[] | undefined;
  /** Version by table id or name. */
  atVersions?: Readonly<Record<string, number>>;
  trigger?: { type: Run['trigger_type']; id: string };
  /** Id of the workflow to notify when it has ended. */
  waitedBy?: string | undefined;
  memo?: Record<string, string>;
}

interface StartDeps extends ProcessDeps {
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

/** More runs of an organization do not wait for their turn. */
const mostActive = limits.tests.underWay.most;
const mostTables = limits.tests.tablesOfRun.most;
const mostTests = limits.tests.testsOfRun.most;

/**
 * Starts a run of tests. Which tables it tests is decided now; which tests, when the turn of each table has
 * come.
 *
 * @throws AppError not_found, version_expired, conflict, workflows_unavailable
 */
export async function startVerification(deps: StartDeps, request: VerificationRequest): Promise<Run> {
  const { organizationId, runId, memo } = request;
  const pinned = await pinnedVersions(deps, request);
  const { run } = await startRun(deps, verificationRuns, {
    ...{ organizationId, runId, memo },
    make: (db) => findOrInsert(db, request, pinned),
    undo: async (db, { id }) => {
      await removeVerification(db, organizationId, id);
      await deleteRun(db, organizationId, id);
    },
  });
  return run;
}

type Pins = ReadonlyMap<string, { version: number; snapshotId: number }>;

/** Refused now, rather than in a run that somebody has to look at. */
async function pinnedVersions(
  { db, lake }: StartDeps,
  { organizationId, atVersions = {} }: VerificationRequest,
): Promise<Pins> {
  const asked = Object.entries(atVersions);
  if (asked.length === 0) return new Map();
  const tables = await inOrganization(db, organizationId, (transaction) =>
    testableTables(transaction, organizationId),
  );
  const { schema } = await lake.catalog.get(organizationId);
  const pins = new Map<string, { version: number; snapshotId: number }>();
  for (const [key, version] of asked) {
    const table = tables.find(({ id, name }) => id === key || name.toLowerCase() === key.toLowerCase());
    if (table === undefined) throw notFound('The table');
    const snapshotId = await snapshotShowing(lake.catalogPool, schema, table.id, version);
    pins.set(table.id, { version, snapshotId });
  }
  return pins;
}

async function findOrInsert(
  db: OrganizationTransaction,
  request: VerificationRequest,
  pins: Pins,
): Promise<Run> {
  const { organizationId, runId, callerId, projectId, definitionIds } = request;
  // Of two at the same time, the second one counts the first, or is the same and gets its run.
  await lockByName(db, `starts of verifications of ${organizationId}`);
  const earlier = await findRun(db, organizationId, runId);
  if (earlier !== undefined) return earlier;
  const { unfinished } = await countUnfinished(db, organizationId, ['verification']);
  if (unfinished >= mostActive)
    throw new AppError(
      'conflict',
      `${mostActive} test runs of the organization are already running or waiting, which is the limit. Try again when some of them have ended.`,
    );
  const tableIds = await testedTables(db, request);
  const trigger = request.trigger ?? { type: 'api' as const, id: callerId };
  const run = await insertRun(db, {
    ...{ organization_id: organizationId, id: runId, project_id: projectId ?? null, kind: 'verification' },
    ...{ trigger_type: trigger.type, trigger_id: trigger.id },
    title: tableIds.length === 1 ? 'Tests of 1 table' : `Tests of ${tableIds.length} tables`,
    ...{ resource_type: 'verification', resource_id: runId },
    workflow_id: verificationProcess.workflowId(runId),
    waited_by: request.waitedBy ?? null,
  });
  await insertVerification(db, {
    ...{ organization_id: organizationId, id: runId },
    definition_ids: definitionIds === undefined ? null : [...definitionIds],
  });
  if (tableIds.length > 0)
    await db
      .insertInto('verified_tables')
      .values(
        tableIds.map((tableId, position) => ({
          ...{ organization_id: organizationId, run_id: runId, table_id: tableId, position },
          version: pins.get(tableId)?.version ?? null,
          snapshot_id: pins.get(tableId)?.snapshotId ?? null,
        })),
      )
      .execute();
  return run;
}

/** Tables that are named, and of others those that have an enabled test. */
async function testedTables(
  db: OrganizationTransaction,
  { organizationId, tableIds, projectId, definitionIds }: VerificationRequest,
): Promise<string[]> {
  for (const id of definitionIds ?? []) await getTestDefinition(db, organizationId, id);
  const { tests } = await requestedSet(db, organizationId, { tableIds, projectId });
  const wanted = definitionIds === undefined ? undefined : new Set(definitionIds);
  const enabled = tests.filter(
    ({ enabled, definitionId }) => enabled && (wanted === undefined || wanted.has(definitionId!)),
  );
  if (enabled.length > mostTests)
    throw new AppError(
      'conflict',
      `The run would have ${enabled.length.toLocaleString('en-US')} tests; the limit is ${mostTests.toLocaleString('en-US')}. Name fewer tables.`,
    );
  const found = [...new Set([...(tableIds ?? []), ...enabled.map(({ tableId }) => tableId)])];
  if (found.length > mostTables)
    throw new AppError(
      'conflict',
      `The run would test ${found.length.toLocaleString('en-US')} tables; the limit is ${mostTables.toLocaleString('en-US')}. Name fewer tables.`,
    );
  return found;
}
