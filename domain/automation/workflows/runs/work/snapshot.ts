import { AppError } from '../../../../../data/errors.ts';
import { newId } from '../../../../../data/ids.ts';
import { findDataset } from '../../../../intake/datasets/datasets.ts';
import {
  findSnapshotRun,
  type SnapshotRun,
  snapshotStates,
} from '../../../../intake/datasets/snapshot-runs.ts';
import { startSnapshot } from '../../../../intake/datasets/start.ts';
import { type NodeCall, NodeFailed, type NodeStep, type NodeWork, within } from '../node-work.ts';
import { workflowRunProcess } from '../process.ts';
import { childRunId, nextLook, nextTurn } from './child.ts';
import { readFromHere } from './read-from-here.ts';

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
  return { kind: 'waiting', what: runId, untilMs: nextLook() };
};

/** False while another snapshot is under way; this one then copies the source when its turn comes. */
async function start({ run, deps }: NodeCall, datasetId: string, runId: string): Promise<boolean> {
  const { organization_id: organizationId, owner_id: callerId } = run;
  const dataset = await within({ run, deps }, (db) => findDataset(db, organizationId, datasetId));
  if (dataset === undefined)
    throw new NodeFailed('not_found', `The dataset ${datasetId} no longer exists.`, { isFinal: true });
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
    throw new NodeFailed('run_cancelled', `The snapshot ${made.id} was cancelled.`, { isFinal: true });
  if (made.status === 'failed') {
    const { code, message } = made.error!;
    throw new NodeFailed(code, message);
  }
  const { table_id: tableId, table_name: tableName, table_version: version } = made;
  if (version !== null) await readFromHere(call, [{ tableId, version }]);
  return { kind: 'done', outputs: { table: { type: 'table', tableId, tableName, version: version ?? 0 } } };
}
