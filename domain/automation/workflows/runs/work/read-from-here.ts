import { pinSnapshot } from '../../../../tables/lake-maintenance/expire.ts';
import { snapshotShowing } from '../../../../tables/tables/versions.ts';
import { type NodeCall, within } from '../node-work.ts';
import {
  type DataVersion,
  dataVersionsOf,
  findBoth,
  runPin,
  runPinEnd,
  updateWorkflowRun,
} from '../workflow-runs.ts';

/** Makes later nodes read these tables at these versions, which are pinned as long as the run needs them. */
export async function readFromHere(
  { run, deps }: Pick<NodeCall, 'run' | 'deps'>,
  tables: readonly DataVersion[],
): Promise<void> {
  const { organization_id: organizationId, id } = run;
  const lake = await deps.lake.catalog.get(organizationId);
  const holder = runPin(id);
  for (const { tableId, version } of tables) {
    const snapshotId = await snapshotShowing(deps.lake.catalogPool, lake.schema, tableId, version);
    await pinSnapshot(deps, lake, organizationId, { snapshotId, holder, expiresAt: runPinEnd() });
  }
  await within({ run, deps }, async (db) => {
    const both = await findBoth(db, organizationId, id, 'update');
    if (both === undefined) return;
    const made = new Set(tables.map(({ tableId }) => tableId));
    const others = dataVersionsOf(both.row).filter(({ tableId }) => !made.has(tableId));
    const versions = JSON.stringify([...others, ...tables]);
    await updateWorkflowRun(db, organizationId, id, { data_versions: versions });
  });
}
