import type { Logger } from 'pino';
import { isRetryable } from '../../../../data/errors.ts';
import { derivedId } from '../../../../data/ids.ts';
import type { LakeDeps } from '../../../../data/lake/commit.ts';
import { firstOperations, newestVersions, versionBefore } from '../../../../data/lake/ledger.ts';
import { inOrganization, type OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { readableTables } from '../../../tables/tables/registry.ts';
import { actAs } from '../../../workspace/organizations/rights.ts';
import { type Cursor, moveCursor, planRun, waitingCursors } from './cursors.ts';
import { type StartDeps, startDataEvent } from './fire.ts';

export type DataEventDeps = StartDeps & {
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  logger: Pick<Logger, 'warn'>;
};

/**
 * Starts a run for each trigger of an organization whose tables have new versions, once its window since the
 * first of them has ended; the run covers everything committed by then. The ledger is ordered and has no
 * gaps, and a cursor moves only past versions that have a run or need none. Each version is therefore covered
 * by exactly one run.
 */
export async function startDataEventRuns(
  deps: DataEventDeps,
  organizationId: string,
  nowMs: number,
): Promise<void> {
  const cursors = await inOrganization(deps.db, organizationId, (db) => waitingCursors(db, organizationId));
  if (cursors.length === 0) return;
  const { schema } = await deps.lake.catalog.get(organizationId);
  // Read before anything else of the ledger: later commits are left to the next poll.
  const newest = await newestVersions(deps.lake.catalogPool, schema);
  const failures: unknown[] = [];
  for (const cursor of cursors) {
    try {
      if (cursor.plan !== undefined) await begin(deps, cursor, cursor.plan);
      else await look(deps, schema, cursor, newest, nowMs);
    } catch (err) {
      // A failure of one workflow does not affect the next.
      failures.push(err);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function look(
  deps: DataEventDeps,
  schema: string,
  cursor: Cursor,
  newest: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<void> {
  const { organizationId } = cursor;
  const config = { ...cursor.config, tableIds: await readable(deps, cursor) };
  const pool = deps.lake.catalogPool;
  const from = cursor.version ?? (await versionBefore(pool, schema, config.tableIds, cursor.since));
  const head = Math.max(from, ...newest.values());
  const isBehind = config.tableIds.some((id) => (newest.get(id) ?? 0) > from);
  const first = isBehind
    ? await firstForeign(deps, schema, { ...cursor, config }, { from, head })
    : undefined;
  const inTransaction = <T>(work: (db: OrganizationTransaction) => Promise<T>) =>
    inOrganization(deps.db, organizationId, work);
  if (first === undefined) {
    if (head !== cursor.version) await inTransaction((db) => moveCursor(db, cursor, head));
    return;
  }
  const dueMs = first.getTime() + config.windowSeconds * 1_000;
  if (nowMs < dueMs) {
    // The start position is recorded: the very first version must not be taken for older than the trigger
    // later on.
    if (cursor.version === null) await inTransaction((db) => moveCursor(db, cursor, from));
    return;
  }
  const runId = derivedId('wfr', dueMs, `${cursor.triggerId}\n${from}\n${head}`);
  const plan = { runId, to: head, versionId: cursor.versionId };
  if (await inTransaction((db) => planRun(db, cursor, plan))) await begin(deps, { ...cursor, plan }, plan);
}

/** The tables of a trigger that its owner may read: others do not trigger it. */
function readable(deps: DataEventDeps, { organizationId, ownerId, config }: Cursor): Promise<string[]> {
  return inOrganization(deps.db, organizationId, async (db) => {
    await actAs(db, organizationId, ownerId);
    return readableTables(db, organizationId, config.tableIds);
  });
}

/**
 * The commit time of the first version not written by runs of the workflow itself, or of the first of all
 * with `ownWrites`.
 */
async function firstForeign(
  deps: DataEventDeps,
  schema: string,
  { organizationId, workflowId, config }: Cursor,
  range: { from: number; head: number },
): Promise<Date | undefined> {
  const pool = deps.lake.catalogPool;
  let { from } = range;
  for (;;) {
    const operations = await firstOperations(pool, schema, config.tableIds, { from, to: range.head });
    const own = config.ownWrites
      ? new Set<string>()
      : await inOrganization(deps.db, organizationId, (db) =>
          ownRuns(
            db,
            organizationId,
            workflowId,
            operations.flatMap(({ runId }) => runId ?? []),
          ),
        );
    const first = operations.find(({ runId }) => runId === null || !own.has(runId));
    if (first !== undefined) return first.committedAt;
    const last = operations.at(-1);
    if (last === undefined) return undefined;
    from = last.version;
  }
}

async function ownRuns(
  db: OrganizationTransaction,
  organizationId: string,
  workflowId: string,
  runIds: readonly string[],
): Promise<Set<string>> {
  if (runIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('workflow_runs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('workflow_id', '=', workflowId)
    .where('id', 'in', [...new Set(runIds)])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * The run's id is in the cursor, so a repetition finds the run. Transient errors are retried at the next
 * poll.
 */
async function begin(
  deps: DataEventDeps,
  cursor: Cursor,
  { runId, to, versionId }: NonNullable<Cursor['plan']>,
): Promise<void> {
  const { organizationId, workflowId, triggerId } = cursor;
  try {
    await startDataEvent(deps, { organizationId, workflowId, versionId, triggerId, runId });
  } catch (err) {
    if (isRetryable(err)) throw err;
    deps.logger.warn({ err, organizationId, workflowId, triggerId }, 'a data event cannot be run');
  }
  await inOrganization(deps.db, organizationId, (db) => moveCursor(db, cursor, to));
}
