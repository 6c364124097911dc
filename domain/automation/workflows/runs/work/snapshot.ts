import { AppError } from '../../../../../data/errors.ts';
import { newId } from '../../../../../data/ids.ts';
import { findDataset } from '../../../../intake/datasets/datasets.ts';
import {
  findSnapshotRun,
  type SnapshotRun,
  snapshotStates,
} from '../../../../intake/datasets/snapshot-runs.ts';
import { startSnapshot } from '../../../../intake/datasets/start.ts';
import { pinSnapshot } from '../../../../tables/lake-maintenance/expire.ts';
import { type NodeCall, NodeFailed, type NodeStep, type NodeWork, within } from '../node-work.ts';
import { workflowRunProcess } from '../process.ts';
import { dataVersionsOf, findBoth, runPin, runPinEnd, updateWorkflowRun } from '../workflow-runs.ts';
import { childRunId } from './child.ts';

/** The snapshot signals its end; polling covers a lost signal. */
const lookEveryMs = 300_000;
/** Delay while another snapshot of the dataset is under way; grows with the time that the node has waited. */
const firstTurnMs = 15_000;
const longestTurnMs = 300_000;

export const nextTurnMs = (waitedMs: number): number =>
  Math.min(Math.max(waitedMs / 10, firstTurnMs), longestTurnMs);

/** Takes a snapshot, once per attempt of the node, and makes the run read its result from then on. */
export const snapshotWork: NodeWork = async (call) => {
  const { organization_id: organizationId } = call.run;
  const { dataset_id: datasetId } = call.config as { dataset_id: string };
  const runId = childRunId(call);
  const find = () => within(call, (db) => findSnapshotRun(db, organizationId, runId));
  let made = await find();
  if (made === undefined) {
    if (!(await start(call, datasetId, runId)))
      return { kind: 'waiting', what: `another snapshot of ${datasetId}`, untilMs: nextTurn(call) };
    made = await find();
  }
  if (made !== undefined && snapshotStates.isEnd(made.status)) return ended(call, made);
  return { kind: 'waiting', what: runId, untilMs: Date.now() + lookEveryMs };
};

function nextTurn({ state }: NodeCall): number {
  const nowMs = Date.now();
  return nowMs + nextTurnMs(nowMs - state.started_at!.getTime());
}

/** False while another snapshot is under way; this one then copies the source when its turn comes. */
async function start({ run, deps }: NodeCall, datasetId: string, runId: string): Promise<boolean> {
  const { organization_id: organizationId, owner_id: callerId } = run;
  const dataset = await within({ run, deps }, (db) => findDataset(db, organizationId, datasetId));
  if (dataset === undefined)
    throw new NodeFailed('not_found', `There is no dataset ${datasetId} any more.`, { isFinal: true });
  try {
    await startSnapshot(deps, {
      ...{ organizationId, connectionId: dataset.connection_id, datasetId, callerId, memo: {}, runId },
      waitedBy: workflowRunProcess.workflowId(run.id),
      newTableId: newId('tbl'),
    });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'snapshot_active') return false;
    throw error;
  }
}

async function ended(call: NodeCall, made: SnapshotRun): Promise<NodeStep> {
  if (made.status === 'cancelled')
    throw new NodeFailed('run_cancelled', `Its snapshot ${made.id} was cancelled.`, { isFinal: true });
  if (made.status === 'failed') {
    const { code, message } = made.error as unknown as { code: string; message: string };
    throw new NodeFailed(code, message);
  }
  const { table_id: tableId, table_name: tableName, table_version: version } = made;
  if (version !== null) await readFromThere(call, tableId, version);
  return { kind: 'done', outputs: { table: { type: 'table', tableId, tableName, version: version ?? 0 } } };
}

/** Makes later nodes read the table at this version, which is pinned as long as the run needs it. */
async function readFromThere({ run, deps }: NodeCall, tableId: string, version: number): Promise<void> {
  const { organization_id: organizationId, id } = run;
  const lake = await deps.lake.catalog.get(organizationId);
  const expiresAt = runPinEnd();
  await pinSnapshot(deps, lake, organizationId, { snapshotId: version, holder: runPin(id), expiresAt });
  await within({ run, deps }, async (db) => {
    const both = await findBoth(db, organizationId, id, 'update');
    if (both === undefined) return;
    const others = dataVersionsOf(both.row).filter((one) => one.tableId !== tableId);
    const versions = [...others, { tableId, version }];
    await updateWorkflowRun(db, organizationId, id, { data_versions: JSON.stringify(versions) });
  });
}
