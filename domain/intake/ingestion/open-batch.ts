import { AppError, ValidationError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type ProcessDeps, startRecorded } from '../../../data/processes/processes.ts';
import { getTable, lockTable, type TableRow } from '../../tables/tables/registry.ts';
import { getDataSync } from './data-syncs.ts';
import {
  type BatchMode,
  deleteBatch,
  findBatch,
  findBatchByClientId,
  type IngestionBatch,
  insertBatch,
} from './ingestion-batches.ts';
import { batchStart } from './process.ts';

export interface BatchRequest {
  organizationId: string;
  callerId: string;
  /** Request data stored in the workflow's memo. */
  memo: Record<string, string>;
  batchId: string;
  tableId: string;
  mode: BatchMode;
  syncId: string | undefined;
  clientBatchId: string | undefined;
  expiresInSeconds: number;
  onBadRecord: 'refuse' | 'quarantine';
  onNewField: 'refuse' | 'add' | 'ignore';
  maxShrinkRatio: number | undefined;
  /** The batch or import whose quarantined records are replayed. */
  replayOf: { source: 'batch' | 'import'; id: string } | undefined;
}

/**
 * Opens a batch: its row and the outbox entry are one commit; then its process is started. If workflows are
 * unavailable, the commit is undone. A client_batch_id that is in use returns the existing batch.
 */
export async function openBatch(
  deps: ProcessDeps,
  request: BatchRequest,
): Promise<{ batch: IngestionBatch; isNew: boolean }> {
  const { organizationId, memo } = request;
  const { row: batch, isNew } = await startRecorded(deps, organizationId, {
    find: async (db) => {
      await lockTable(db, organizationId, request.tableId);
      return findEarlier(db, request);
    },
    make: async (db) => insert(db, await getTable(db, organizationId, request.tableId), request),
    startOf: (made) => batchStart(made, memo),
    undo: (db, { id }) => deleteBatch(db, organizationId, id),
  });
  // A retry of the request that created it, whose answer was lost, gets the same answer.
  return { batch, isNew: isNew || batch.id === request.batchId };
}

async function findEarlier(
  db: OrganizationTransaction,
  request: BatchRequest,
): Promise<IngestionBatch | undefined> {
  const { organizationId, clientBatchId, tableId } = request;
  const earlier =
    (await findBatch(db, organizationId, request.batchId)) ??
    (clientBatchId === undefined
      ? undefined
      : await findBatchByClientId(db, organizationId, tableId, clientBatchId));
  if (earlier === undefined) return undefined;
  if (earlier.mode === request.mode && earlier.sync_id === (request.syncId ?? null)) return earlier;
  throw new AppError(
    'conflict',
    `A batch of another mode or data sync already has this client_batch_id: ${earlier.id} (${earlier.mode}).`,
  );
}

async function insert(
  db: OrganizationTransaction,
  table: TableRow,
  request: BatchRequest,
): Promise<IngestionBatch> {
  const { organizationId, mode } = request;
  // The rows of an imported table come only from its file, including those that fit only later.
  const isOfImport = table.kind === 'import' && request.replayOf?.source === 'import';
  if (table.kind !== 'data' && !isOfImport) {
    throw new AppError(
      'not_appendable',
      `You can't send batches to a table of the kind ${table.kind}. Create a table with POST /v1/grid/tables, kind=data.`,
    );
  }
  const isSwap = mode === 'replace' || mode === 'provider_snapshot';
  if (request.maxShrinkRatio !== undefined && !isSwap) {
    throw new AppError('unsupported_option', `A batch in mode ${mode} cannot shrink its table. Omit guard.`);
  }
  const sync =
    request.syncId === undefined ? undefined : await getDataSync(db, organizationId, request.syncId, 'share');
  if (request.syncId !== undefined && sync?.table_id !== table.id) {
    throw new ValidationError([
      { loc: ['body', 'sync_id'], msg: 'This table has no data sync with this id.', type: 'value_error' },
    ]);
  }
  return insertBatch(db, {
    organization_id: organizationId,
    id: request.batchId,
    table_id: table.id,
    sync_id: request.syncId ?? null,
    client_batch_id: request.clientBatchId ?? null,
    mode,
    status: 'open',
    generation: sync?.generation ?? null,
    rotation: sync?.rotation ?? null,
    on_bad_record: request.onBadRecord,
    on_new_field: request.onNewField,
    max_shrink_ratio: request.maxShrinkRatio ?? null,
    replay_of: request.replayOf?.id ?? null,
    replay_source: request.replayOf?.source ?? null,
    created_by: request.callerId,
    expires_at: new Date(Date.now() + request.expiresInSeconds * 1_000),
  });
}
