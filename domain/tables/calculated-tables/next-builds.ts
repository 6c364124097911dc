import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { ClaimedBuilds } from '../../../workflows/tables/materialization/contract.ts';
import { buildsAtOnce } from '../../../workflows/tables/materialization/names.ts';
import type { QueuedRunDeps, QueuedRunId } from '../queued-runs/queued-runs.ts';
import { beginMaterialization, isOver, showProgress } from './lifecycle.ts';
import { getMaterialization, listBuilds, moveBuild } from './materializations.ts';

/** Begins a run, and looks for its first builds. */
export async function claimBuilds(deps: QueuedRunDeps, id: QueuedRunId): Promise<ClaimedBuilds> {
  const turn = await beginMaterialization(deps, id);
  return { turn, ...(turn === 'begun' ? await nextBuilds(deps.db, id) : { ready: [], isAll: true }) };
}

/** The builds whose turn it is. What hangs on one that did not succeed is skipped. */
export function nextBuilds(
  db: Database,
  { organizationId, runId }: QueuedRunId,
): Promise<Omit<ClaimedBuilds, 'turn'>> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await getMaterialization(transaction, organizationId, runId, 'update');
    let builds = await listBuilds(transaction, organizationId, { runId });
    for (let changed = true; changed; ) {
      changed = false;
      const byId = new Map(builds.map((build) => [build.table_id, build]));
      for (const build of builds) {
        if (build.status !== 'waiting') continue;
        const failed = build.after.find((id) => {
          const before = byId.get(id);
          return before !== undefined && isOver(before) && before.status !== 'succeeded';
        });
        if (failed === undefined) continue;
        const error = { code: 'conflict', message: `The table reads ${failed}, which could not be built.` };
        await moveBuild(
          transaction,
          { organizationId, runId, tableId: build.table_id },
          'waiting',
          'skipped',
          { error },
        );
        changed = true;
      }
      if (changed) builds = await listBuilds(transaction, organizationId, { runId });
    }
    const done = new Set(builds.filter(isOver).map(({ table_id: id }) => id));
    const left = builds.filter((build) => !isOver(build));
    const ready = left.filter((build) => build.after.every((id) => done.has(id)));
    // They are begun by what is returned here.
    const begun = new Set(ready.slice(0, buildsAtOnce));
    const shown = builds.map((build) =>
      begun.has(build) ? { ...build, status: 'running' as const } : build,
    );
    await showProgress(transaction, row, shown);
    return { ready: ready.map(({ table_id: id }) => id), isAll: ready.length === left.length };
  });
}
