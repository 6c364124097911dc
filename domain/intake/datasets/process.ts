import { defineProcess } from '../../../data/processes/define.ts';
import type { SnapshotInput } from '../../../workflows/intake/snapshot/contract.ts';
import { snapshotWorkflowType } from '../../../workflows/intake/snapshot/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { defineRunKind } from '../../workspace/runs/kind.ts';
import { findSnapshotRun, type SnapshotRun } from './snapshot-runs.ts';

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

export const snapshotRuns = defineRunKind({
  name: 'snapshots',
  kinds: ['snapshot'],
  process: snapshotProcess,
  find: (db, run) => findSnapshotRun(db, run.organization_id, run.id),
  input: ({ organization_id: organizationId, dataset_id: datasetId, id: runId }) => ({
    ...{ organizationId, datasetId, runId },
  }),
  address: ({ connection_id: connectionId, dataset_id: datasetId, id }) =>
    `/v1/connections/data/${connectionId}/datasets/${datasetId}/snapshots/${id}`,
});
