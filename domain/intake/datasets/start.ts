import { AppError } from '../../../data/errors.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { refuseUnlessWritable } from '../../tables/tables/grants.ts';
import { findTable, forgetTable, reserveTable, type TableRow } from '../../tables/tables/registry.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { startRun } from '../../workspace/runs/kind.ts';
import { type DataConnection, getDataConnection } from '../data-connections/data-connections.ts';
import { type Dataset, getDataset } from './datasets.ts';
import { snapshotRuns, workflowIdOf } from './process.ts';
import {
  activeStatuses,
  deleteSnapshotRun,
  findSnapshotRun,
  insertSnapshotRun,
  moveSnapshot,
  type SnapshotRun,
} from './snapshot-runs.ts';

export interface SnapshotRequest {
  organizationId: string;
  connectionId: string;
  datasetId: string;
  callerId: string;
  /** Request data stored in the workflow's memo. */
  memo: Record<string, string>;
  /** Undefined if the caller requested it. */
  trigger?: 'schedule';
  /** Id of the workflow to notify when it has ended. */
  waitedBy?: string | undefined;
  /** Ids for the rows that the request creates. */
  runId: string;
  newTableId: string;
}

/**
 * Starts a snapshot: its row, the reservation of a new table's name and the outbox entry are one commit; then
 * the process is started. If workflows are unavailable, the commit is undone.
 *
 * @throws AppError snapshot_not_enabled, snapshot_active, name_taken, workflows_unavailable
 */
export async function startSnapshot(deps: ProcessDeps, request: SnapshotRequest): Promise<SnapshotRun> {
  const { organizationId, runId, newTableId, memo } = request;
  const { row } = await startRun(deps, snapshotRuns, {
    ...{ organizationId, runId, memo },
    make: (db) => insertSnapshot(db, request),
    undo: async (db, made) => {
      await deleteSnapshotRun(db, made);
      await forgetTable(db, organizationId, newTableId, 'creating');
    },
  });
  return row;
}

/** Records a snapshot that could not be started as failed, because a schedule has no caller to answer. */
export function keepRefusal(db: Database, request: SnapshotRequest, refusal: AppError): Promise<void> {
  const { organizationId, runId } = request;
  return inOrganization(db, organizationId, async (transaction) => {
    if ((await findSnapshotRun(transaction, organizationId, runId)) !== undefined) return;
    const dataset = await getDataset(transaction, organizationId, request.datasetId, request.connectionId);
    const table = { id: dataset.table_id ?? request.newTableId, name: dataset.snapshot_table_name };
    const run = await insert(transaction, request, dataset, table);
    const { code, message } = refusal;
    await moveSnapshot(transaction, run, 'queued', 'failed', { error: JSON.stringify({ code, message }) });
  });
}

async function insertSnapshot(db: OrganizationTransaction, request: SnapshotRequest): Promise<SnapshotRun> {
  const { organizationId, connectionId, datasetId } = request;
  const connection = await getDataConnection(db, organizationId, connectionId, 'share');
  // Serialises concurrent starts: the second one sees the first one's run.
  const dataset = await getDataset(db, organizationId, datasetId, connectionId, 'update');
  refuseUnlessEnabled(connection, dataset);
  await refuseSecond(db, dataset);
  if (dataset.project_id !== null) await getOpenProject(db, organizationId, dataset.project_id);
  const table = await tableOf(db, dataset, request.newTableId);
  return insert(db, request, dataset, table);
}

function insert(
  db: OrganizationTransaction,
  request: SnapshotRequest,
  dataset: Dataset,
  table: { id: string; name: string },
): Promise<SnapshotRun> {
  const { organizationId, runId, datasetId, trigger, waitedBy } = request;
  const row = {
    organization_id: organizationId,
    id: runId,
    connection_id: request.connectionId,
    dataset_id: datasetId,
    project_id: dataset.project_id,
    table_id: table.id,
    table_name: table.name,
    created_by: request.callerId,
  };
  return insertSnapshotRun(db, row, { trigger, waitedBy, workflowId: workflowIdOf(row) });
}

function refuseUnlessEnabled(connection: DataConnection, dataset: Dataset): void {
  if (!dataset.snapshot_enabled && !connection.snapshots_enabled)
    throw new AppError(
      'snapshot_not_enabled',
      "Snapshots aren't enabled. Set snapshot_enabled of the dataset, or snapshot_config.enabled of its connection.",
    );
}

async function refuseSecond(db: OrganizationTransaction, dataset: Dataset): Promise<void> {
  const active = await db
    .selectFrom('snapshot_runs')
    .select('id')
    .where('organization_id', '=', dataset.organization_id)
    .where('dataset_id', '=', dataset.id)
    .where('status', 'in', activeStatuses)
    .executeTakeFirst();
  if (active !== undefined)
    throw new AppError(
      'snapshot_active',
      `The snapshot ${active.id} of this dataset is already running. Wait until it ends, or cancel it.`,
    );
}

/** The table of the last snapshot, or the reservation of a new one if there is none or it was deleted. */
async function tableOf(db: OrganizationTransaction, dataset: Dataset, newTableId: string): Promise<TableRow> {
  const { organization_id: organizationId } = dataset;
  const known = dataset.table_id === null ? undefined : await findTable(db, organizationId, dataset.table_id);
  if (known?.status === 'ready') {
    refuseUnlessWritable(known);
    return known;
  }
  return reserveTable(db, {
    organization_id: organizationId,
    id: newTableId,
    name: dataset.snapshot_table_name,
    kind: 'snapshot',
    project_id: dataset.project_id,
    description: `Snapshot of ${dataset.resource}.`,
  });
}
