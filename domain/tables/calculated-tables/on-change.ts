import type { Logger } from 'pino';
import { isRetryable } from '../../../data/errors.ts';
import { derivedId } from '../../../data/ids.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { newestVersions } from '../../../data/lake/ledger.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { builtOf, type Defined, listDefined } from '../derived-relations/definitions.ts';
import { readsThrough, surroundings } from './freshness.ts';
import { startMaterialization } from './start.ts';

export type OnChangeDeps = ProcessDeps & {
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  logger: Pick<Logger, 'warn'>;
};

interface Due {
  table: Defined;
  /** The same whichever worker finds it, so that of equal builds one is started. */
  runId: string;
  changedTableId: string;
}

/**
 * Starts a build of each table with `refresh: on_change` of which something that it reads has another version
 * than the one it was built from, at most once in its interval. What was tried once with the same versions,
 * and failed, is not tried again. A table is first built by request.
 */
export async function startDueBuilds(
  deps: OnChangeDeps,
  organizationId: string,
  nowMs: number,
): Promise<void> {
  const { schema } = await deps.lake.catalog.get(organizationId);
  const versions = await newestVersions(deps.lake.catalogPool, schema);
  const due = await inOrganization(deps.db, organizationId, (db) =>
    dueBuilds(db, organizationId, versions, nowMs),
  );
  const failures: unknown[] = [];
  for (const { table, runId, changedTableId } of due) {
    try {
      await startMaterialization(deps, {
        organizationId,
        runId,
        tableId: table.id,
        mode: 'materialize',
        callerId: table.defined_by,
        trigger: { type: 'data_event', id: changedTableId },
      });
    } catch (err) {
      // A failure of one table does not affect the next.
      if (isRetryable(err)) failures.push(err);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function dueBuilds(
  db: OrganizationTransaction,
  organizationId: string,
  versions: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<Due[]> {
  const tables = (await listDefined(db, organizationId, { kind: 'calc' })).filter(
    (definition) => definition.refresh_mode === 'on_change' && definition.built !== null,
  );
  if (tables.length === 0) return [];
  const ids = tables.map(({ id }) => id);
  const around = await surroundings(db, organizationId, ids, versions);
  const changed = tables.flatMap((table): Due[] => {
    const built = builtOf(table)!;
    const reads = readsThrough(around, table.id);
    const moved = reads.tables.find((id) => versions.get(id) !== built.read[id]);
    const views = reads.views.map((id) => `${id} ${around.defined.get(id)?.revision}`);
    const isRedefined =
      built.revision !== table.revision ||
      reads.views.some((id) => built.views[id] !== around.defined.get(id)?.revision);
    if (moved === undefined && !isRedefined) return [];
    const inputs = reads.tables.map((id) => `${id} ${versions.get(id)}`);
    const seed = [table.id, table.revision, ...views.sort(), ...inputs.sort()].join('\n');
    const runId = derivedId('run', Date.parse(built.builtAt), seed);
    return [{ table, runId, changedTableId: moved ?? table.id }];
  });
  if (changed.length === 0) return [];
  const lastTried = await lastStarts(
    db,
    organizationId,
    changed.map(({ table }) => table.id),
  );
  return changed.filter(({ table, runId }) => {
    const last = lastTried.get(table.id);
    if (last?.ids.has(runId) === true) return false;
    const lastMs = Math.max(Date.parse(builtOf(table)!.builtAt), last?.atMs ?? 0);
    return nowMs >= lastMs + table.min_interval_seconds * 1_000;
  });
}

/** When a run was last started for each table, and the runs of its last hundred. */
async function lastStarts(
  db: OrganizationTransaction,
  organizationId: string,
  tableIds: readonly string[],
): Promise<Map<string, { atMs: number; ids: Set<string> }>> {
  const found = new Map<string, { atMs: number; ids: Set<string> }>();
  for (const tableId of tableIds) {
    const rows = await db
      .selectFrom('materializations')
      .select(['id', 'created_at'])
      .where('organization_id', '=', organizationId)
      .where('table_id', '=', tableId)
      .orderBy('created_at', 'desc')
      .limit(100)
      .execute();
    if (rows[0] !== undefined)
      found.set(tableId, { atMs: rows[0].created_at.getTime(), ids: new Set(rows.map(({ id }) => id)) });
  }
  return found;
}
