import { derivedId } from '../../../data/ids.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { firstOperations, newestVersions, versionBefore } from '../../../data/lake/ledger.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { effectiveSet } from './effective-set.ts';
import { loadSources, type Sources } from './sources.ts';
import { startVerification } from './start.ts';

export type OnVersionDeps = ProcessDeps & { lake: Pick<LakeDeps, 'catalog' | 'catalogPool'> };

/** Versions that follow each other within this time are tested once. */
const gatheredMs = 10_000;

/**
 * Starts a run over the tables that have tests and new versions, once ten seconds have passed since the first
 * of them. The ledger is ordered and has no gaps, and the cursor moves only past versions that have a run or
 * need none.
 */
export async function startDueVerifications(
  deps: OnVersionDeps,
  organizationId: string,
  nowMs: number,
): Promise<void> {
  const { schema } = await deps.lake.catalog.get(organizationId);
  const pool = deps.lake.catalogPool;
  // Read before anything else of the ledger: later commits are left to the next look.
  const newest = await newestVersions(pool, schema);
  const head = Math.max(0, ...newest.values());
  const known = await inOrganization(deps.db, organizationId, (db) => findCursor(db, organizationId));
  if (known !== undefined && head <= known) return;
  // One that waits will read the versions of then: another behind it would be one too many.
  if (await inOrganization(deps.db, organizationId, (db) => hasWaitingRun(db, organizationId))) return;
  const { sources, since } = await inOrganization(deps.db, organizationId, async (db) => ({
    sources: await loadSources(db, organizationId),
    since: await firstDefinedAt(db, organizationId),
  }));
  const all = sources.tables.map(({ id }) => id);
  const from = known ?? (await versionBefore(pool, schema, all, since));
  const tableIds = await testedAmong(
    sources,
    all.filter((id) => (newest.get(id) ?? 0) > from),
  );
  const [first] = await firstOperations(pool, schema, tableIds, { from, to: head });
  if (first !== undefined) {
    if (nowMs < first.committedAt.getTime() + gatheredMs) return;
    const seed = `verification ${organizationId} ${from} ${head}`;
    await startVerification(deps, {
      ...{ organizationId, runId: derivedId('run', first.committedAt.getTime(), seed), tableIds },
      ...{ callerId: 'service', trigger: { type: 'data_event', id: first.tableId } },
    });
  }
  await inOrganization(deps.db, organizationId, (db) => moveCursor(db, organizationId, head));
}

/** Tables, and tests, beyond these are tested after the next version. */
const mostTables = 1_000;
const mostTests = 10_000;

/** Those of the tables that have an enabled test. Table by table: all tests of all tables may be too many. */
async function testedAmong(
  { tables, definitions, overlays }: Sources,
  ids: readonly string[],
): Promise<string[]> {
  const wanted = new Set(ids);
  const found: string[] = [];
  let total = 0;
  for (const table of tables) {
    if (!wanted.has(table.id)) continue;
    const { tests } = await effectiveSet([table], definitions, overlays);
    const enabled = tests.filter((test) => test.enabled).length;
    if (enabled === 0) continue;
    total += enabled;
    if (found.length >= mostTables || total > mostTests) break;
    found.push(table.id);
  }
  return found;
}

/** When the first of the definitions was made: versions before it are not tested by themselves. */
async function firstDefinedAt(db: OrganizationTransaction, organizationId: string): Promise<Date> {
  const { since } = await db
    .selectFrom('verification_definitions')
    .select(({ fn }) => fn.min('created_at').as('since'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return since ?? new Date();
}

async function hasWaitingRun(db: OrganizationTransaction, organizationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('runs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'verification')
    .where('trigger_type', '=', 'data_event')
    .where('status', '=', 'queued')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function findCursor(db: OrganizationTransaction, organizationId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('verification_cursors')
    .select('version')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row?.version;
}

async function moveCursor(
  db: OrganizationTransaction,
  organizationId: string,
  version: number,
): Promise<void> {
  await db
    .insertInto('verification_cursors')
    .values({ organization_id: organizationId, version })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ version }))
    .execute();
}
