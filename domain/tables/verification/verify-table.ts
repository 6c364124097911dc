import { AppError, isRetryable } from '../../../data/errors.ts';
import { columnsWithoutNulls } from '../../../data/lake/ducklake/files.ts';
import { findStatistics } from '../../../data/lake/ledger.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { findRun, type Run, runStates } from '../../workspace/runs/runs.ts';
import { findTable, type TableRow } from '../tables/registry.ts';
import type { EffectiveTest } from './effective-set.ts';
import { type FailingRows, type FailingRowsDeps, keepFailingRows } from './failing-rows.ts';
import { showProgress } from './lifecycle.ts';
import { requestedSet } from './preview.ts';
import { asSubject } from './relations.ts';
import { describeSubject, failedToRun, type Limits, type RunTest, runTests } from './run-tests.ts';
import {
  findVerification,
  outcomeOf,
  tablesOfRuns,
  type VerificationId,
  type VerifiedTable,
  worst,
} from './verifications.ts';
import { rowsBefore, versionTime } from './versions.ts';

export interface VerifyDeps extends FailingRowsDeps {
  /** Those of a build hold for the tests of a table together. */
  buildLimits: { timeoutMs: number };
}

/** Longest wait of an attempt for its first process; the workflow waits longer, by a timer. */
const firstWaitMs = 5_000;
/** Then it has begun, and would begin again: it waits as long as others of the organization take. */
const laterWaitMs = 600_000;

/** A test that ran, with what is shown of the rows that failed it. */
export interface KeptResult extends RunTest, FailingRows {}

/**
 * Tests the next table of a run and keeps its results in one transaction, so that after a crash a table is
 * either done or tested again. Returns how many tables are left; none of a run that has ended.
 */
export async function verifyNextTable(
  deps: VerifyDeps,
  id: VerificationId,
  signal: AbortSignal,
): Promise<number> {
  const next = await inOrganization(deps.db, id.organizationId, (db) => findNext(db, id));
  if (next === undefined) return 0;
  const { run, row, table, tests } = next;
  const deadlineMs = performance.now() + deps.buildLimits.timeoutMs;
  const limits = { deadlineMs, waitMs: firstWaitMs, signal };
  const results = await testTable(deps, { run, row, table, tests }, limits);
  await inOrganization(deps.db, id.organizationId, (db) => keepResults(db, row, results));
  await showProgress(deps.db, id);
  return next.left - 1;
}

interface Next {
  run: Run;
  row: VerifiedTable;
  /** Undefined if it was deleted meanwhile. */
  table: TableRow | undefined;
  tests: EffectiveTest[];
}

async function findNext(
  db: OrganizationTransaction,
  { organizationId, runId }: VerificationId,
): Promise<(Next & { left: number }) | undefined> {
  const run = await findRun(db, organizationId, runId);
  const verification = await findVerification(db, organizationId, runId);
  if (run === undefined || verification === undefined || runStates.isEnd(run.status)) return undefined;
  const open = (await tablesOfRuns(db, organizationId, [runId])).filter(
    ({ finished_at: finishedAt }) => finishedAt === null,
  );
  const [row] = open;
  if (row === undefined) return undefined;
  const table = await findTable(db, organizationId, row.table_id);
  const isThere = table !== undefined && table.status === 'ready';
  const only = verification.definition_ids;
  const { tests } = isThere
    ? await requestedSet(db, organizationId, { tableIds: [row.table_id] })
    : { tests: [] };
  const wanted = tests.filter(
    ({ enabled, definitionId }) => enabled && (only === null || only.includes(definitionId!)),
  );
  return { run, row, table: isThere ? table : undefined, tests: wanted, left: open.length };
}

async function testTable(
  deps: VerifyDeps,
  { run, row, table, tests }: Next,
  limits: Limits,
): Promise<KeptResult[]> {
  if (table === undefined || tests.length === 0) return [];
  if (row.version === null || row.snapshot_id === null)
    return noneRan(tests, 'The table has never been built. Materialize it first.');
  const { version, snapshot_id: snapshotId } = row;
  try {
    return await testVersion(deps, { run, table, version, snapshotId, tests }, limits);
  } catch (error) {
    // Another attempt would not change what the engine says of the table itself.
    const isFinal = error instanceof AppError && !isRetryable(error) && !limits.signal.aborted;
    if (isFinal) return noneRan(tests, error.message);
    throw error;
  }
}

function noneRan(tests: readonly EffectiveTest[], message: string): KeptResult[] {
  const error = new Error(message);
  return tests.map((test) => ({
    ...failedToRun(test, error),
    ...{ sample: [], tableId: null, message: message.slice(0, 2_000) },
  }));
}

interface AtVersion {
  run: Run;
  table: TableRow;
  version: number;
  snapshotId: number;
  tests: EffectiveTest[];
}

async function testVersion(
  deps: VerifyDeps,
  { run, table, version, snapshotId, tests }: AtVersion,
  limits: Limits,
): Promise<KeptResult[]> {
  const { organization_id: organizationId, id: tableId } = table;
  const lake = await deps.lake.catalog.get(organizationId);
  const content = {
    ...{ organizationId, location: lake.reader, subject: asSubject(table) },
    atVersions: new Map([[table.name, snapshotId]]),
  };
  const versionAt = await versionTime(deps.lake, lake.schema, tableId, version);
  const needsBefore = tests.some(({ params }) => params['max_change_ratio'] !== undefined);
  const [described, statistics, withoutNulls] = await Promise.all([
    describeSubject(deps, content, limits),
    findStatistics(deps.lake.catalogPool, lake.schema, tableId),
    tests.some(({ kind }) => kind === 'not_null')
      ? columnsWithoutNulls(deps.lake.catalogPool, lake.schema, table.name, snapshotId)
      : new Set<string>(),
  ]);
  const columns = described.map((column) => ({ ...column, nullable: !withoutNulls.has(column.name) }));
  const later = { ...limits, waitMs: laterWaitMs };
  const about = {
    columns,
    rows: statistics?.rowCount,
    rowsBefore: needsBefore
      ? await rowsBefore(deps, content, { schema: lake.schema, table, version }, later)
      : undefined,
    ...{ versionAt, now: new Date() },
  };
  const tested = { ...content, about };
  const place = { organizationId, runId: run.id, runStartedAt: run.created_at, tableId };
  return keepAll(deps, tested, await runTests(deps, tested, tests, later), place, later);
}

/** Of one table and run: each is a table of the lake. */
const mostFailureTables = 20;

/** The failing rows of each test that failed; of many, only the first have tables. */
export async function keepAll(
  deps: FailingRowsDeps,
  tested: Parameters<typeof keepFailingRows>[1],
  results: readonly RunTest[],
  place: Parameters<typeof keepFailingRows>[3],
  limits: Limits,
): Promise<KeptResult[]> {
  const kept: KeptResult[] = [];
  let tables = 0;
  for (const result of results) {
    const where = { ...place, onlySample: tables >= mostFailureTables };
    const rows = await keepFailingRows(deps, tested, result, where, limits);
    if (rows.tableId !== null) tables += 1;
    const message = [result.message, rows.message].filter((message) => message !== null).join(' ');
    kept.push({ ...result, ...rows, message: message === '' ? null : message });
  }
  return kept;
}

/** Keeps what a table's tests said, once; a run that has ended keeps nothing more. */
export async function keepResults(
  db: OrganizationTransaction,
  { organization_id: organizationId, run_id: runId, table_id: tableId }: VerifiedTable,
  results: readonly KeptResult[],
): Promise<void> {
  const outcome = worst(results.map(({ status, test }) => outcomeOf({ status, severity: test.severity })));
  const { numUpdatedRows } = await db
    .updateTable('verified_tables')
    .set({ outcome, finished_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .where('table_id', '=', tableId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const rows = results.map(({ test, status, failingRows, sample, tableId: kept, ...result }, position) => ({
    ...{ organization_id: organizationId, run_id: runId, table_id: tableId, position },
    ...{ definition_id: test.definitionId!, name: test.name, severity: test.severity, status },
    ...{ failing_rows: failingRows, failures_table_id: kept },
    sample: JSON.stringify(sample, storable),
    ...{ message: result.message, elapsed_ms: Math.round(result.elapsedMs * 1_000) / 1_000 },
  }));
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await db
      .insertInto('verification_results')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute();
}

const rowsAtOnce = 1_000;

/** PostgreSQL's text cannot contain NUL, which texts of a lake may. */
const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\u0000', '\ufffd') : value;
