import { AppError } from '../../../data/errors.ts';
import { derivedId } from '../../../data/ids.ts';
import { findStatistics } from '../../../data/lake/ledger.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { findRun, insertRun, moveRun, type Run } from '../../workspace/runs/runs.ts';
import type { Refusal } from '../derived-relations/definitions.ts';
import type { EffectiveTest } from './effective-set.ts';
import { requestedSet } from './preview.ts';
import { verificationProcess } from './process.ts';
import { describeSubject, type Limits, type RunTest, runTests } from './run-tests.ts';
import { contentToBe, type StagedContent } from './staged-content.ts';
import { insertVerification, updateVerification } from './verifications.ts';
import { type KeptResult, keepAll, keepResults, type VerifyDeps } from './verify-table.ts';

export type GateDeps = VerifyDeps;

/** New content of a table that is staged, and the process that is about to commit it. */
export interface Gated extends StagedContent {
  organizationId: string;
  tableId: string;
  tableName: string;
  process: { id: string; startedAt: Date; projectId: string | null; by: string };
}

/** Longest wait for a process; the activity that stages is tried again after it. */
const processWaitMs = 60_000;

/**
 * Tries the blocking tests of a table against content that is staged, before anybody sees it. Where one
 * fails, or cannot run, its results are kept as a run, once for each process; what passes leaves nothing.
 *
 * @throws AppError verification_failed, with the definitions and the run as extension members
 */
export async function refuseUnverified(deps: GateDeps, gated: Gated, signal: AbortSignal): Promise<void> {
  const { organizationId, tableId, tableName } = gated;
  const tests = await blockingTests(deps.db, organizationId, tableId);
  if (tests.length === 0) return;
  const deadlineMs = performance.now() + deps.buildLimits.timeoutMs;
  const limits: Limits = { deadlineMs, waitMs: processWaitMs, signal };
  const lake = await deps.lake.catalog.get(organizationId);
  const statistics = await findStatistics(deps.lake.catalogPool, lake.schema, tableId);
  const name = statistics === undefined ? undefined : tableName;
  const content = {
    ...{ organizationId, location: lake.reader, ...contentToBe(gated, tableId, name) },
    atVersions: new Map<string, number>(),
  };
  const now = new Date();
  const tested = {
    ...content,
    about: {
      columns: await describeSubject(deps, content, limits),
      rowsBefore: statistics?.rowCount === 0 ? undefined : statistics?.rowCount,
      ...{ versionAt: now, now },
    },
  };
  const results = await runTests(deps, tested, tests, limits);
  const failed = results.filter(({ status }) => status !== 'passed');
  if (failed.length === 0) return;
  const runId = derivedId('run', gated.process.startedAt.getTime(), `gate of ${gated.process.id} ${tableId}`);
  const place = { organizationId, runId, runStartedAt: gated.process.startedAt, tableId };
  const kept = await keepAll(deps, tested, failed, place, limits);
  await inOrganization(deps.db, organizationId, (db) => keepRefusal(db, gated, runId, kept));
  throw refusal(gated, runId, kept);
}

/** The tests that new content of a table must pass. */
export function blockingTests(
  db: Database,
  organizationId: string,
  tableId: string,
): Promise<EffectiveTest[]> {
  return inOrganization(db, organizationId, async (transaction) => {
    const { tests } = await requestedSet(transaction, organizationId, { tableIds: [tableId] });
    return tests.filter(({ enabled, blocking, severity }) => enabled && blocking && severity === 'error');
  });
}

/** What refused it, as a run that has ended. */
async function keepRefusal(
  db: OrganizationTransaction,
  { organizationId, tableId, process }: Gated,
  runId: string,
  kept: readonly KeptResult[],
): Promise<void> {
  if ((await findRun(db, organizationId, runId)) !== undefined) return;
  const run: Run = await insertRun(db, {
    ...{ organization_id: organizationId, id: runId, project_id: process.projectId, kind: 'verification' },
    ...{ trigger_type: 'api', trigger_id: process.by, title: 'Tests of new content' },
    ...{ resource_type: 'verification', resource_id: runId },
    workflow_id: verificationProcess.workflowId(runId),
  });
  await insertVerification(db, { organization_id: organizationId, id: runId, gate_of: process.id });
  const row = { organization_id: organizationId, run_id: runId, table_id: tableId, position: 0 };
  const table = await db.insertInto('verified_tables').values(row).returningAll().executeTakeFirstOrThrow();
  await keepResults(db, table, kept);
  await updateVerification(db, organizationId, runId, { outcome: 'failed', finished_at: new Date() });
  const output = JSON.stringify({ outcome: 'failed', tables: 1 });
  await moveRun(db, run, 'queued', 'running');
  await moveRun(db, run, 'running', 'succeeded', { progress: 1, output });
}

function refusal({ tableName }: Gated, runId: string, kept: readonly KeptResult[]): AppError {
  const listed = kept
    .slice(0, 3)
    .map((result) => `${result.test.name} (${describe(result)})`)
    .join(', ');
  const others = kept.length > 3 ? ` and ${kept.length - 3} more` : '';
  const tables = kept.flatMap(({ tableId }) => tableId ?? []);
  return new AppError(
    'verification_failed',
    `The new content of ${tableName} failed these tests: ${listed}${others}. Nothing was changed. GET /v1/verification-tests/runs/${runId} shows the failing rows. Correct the data or the test, and start again.`,
    {
      extensions: {
        definition_ids: kept.map(({ test }) => test.definitionId),
        run_id: runId,
        failures_table_ids: tables,
      },
    },
  );
}

const describe = ({ failingRows, message }: RunTest): string =>
  failingRows === null
    ? `could not run: ${(message ?? '').slice(0, 200)}`
    : `${failingRows.toLocaleString('en-US')} ${failingRows === 1 ? 'row' : 'rows'}`;

/** What a process that was refused says besides code and message. */
export function refusedBy(error: unknown): Refusal {
  if (!(error instanceof AppError) || error.code !== 'verification_failed') return {};
  const {
    definition_ids: definitionIds,
    run_id: runId,
    failures_table_ids: failuresTableIds,
  } = error.extensions as { definition_ids: string[]; run_id: string; failures_table_ids: string[] };
  const [failuresTableId] = failuresTableIds;
  return {
    definitionIds,
    runId,
    failuresTableIds,
    ...(failuresTableId === undefined ? {} : { failuresTableId }),
  };
}
