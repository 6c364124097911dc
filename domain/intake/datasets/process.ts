import type { RecordOf } from '../../../data/postgres/records.ts';
import { defineProcess } from '../../../data/processes/define.ts';
import type { SnapshotInput } from '../../../workflows/intake/snapshot/contract.ts';
import { snapshotWorkflowType } from '../../../workflows/intake/snapshot/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { type RunStart, waiterOf } from '../../workspace/runs/waiter.ts';

type SnapshotRun = RecordOf<'snapshot_runs'>;

export const snapshotProcess = defineProcess<SnapshotInput>({
  kind: 'snapshot',
  workflowType: snapshotWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ datasetId, runId }) => `${datasetId}/${runId}`,
  whenTerminated: 'close',
});

export function workflowIdOf({ dataset_id: datasetId, id }: Pick<SnapshotRun, 'dataset_id' | 'id'>): string {
  return snapshotProcess.workflowId(`${datasetId}/${id}`);
}

/** How a snapshot's process is started, both initially and by the reconciler. */
export function snapshotStart(row: SnapshotRun, start: RunStart) {
  const { organization_id: organizationId, dataset_id: datasetId, id: runId } = row;
  const input = { organizationId, datasetId, runId, ...waiterOf(start) };
  return snapshotProcess.startOf(input, {
    summary: `Snapshot into ${row.table_name}`,
    address: `/v1/connections/data/${row.connection_id}/datasets/${datasetId}/snapshots/${runId}`,
    ...(row.project_id === null ? {} : { projectId: row.project_id }),
    ...(start.memo === undefined ? {} : { memo: start.memo }),
  });
}
