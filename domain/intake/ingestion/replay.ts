import { notFound } from '../../../data/errors.ts';
import { parseExactJson } from '../../../data/exact-json.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { type Row, readRowIds } from '../../tables/row-input/plan.ts';
import { maxRecords } from '../../tables/row-input/reading/sent-list.ts';
import { takenRowIds } from '../../tables/rows/taken.ts';
import { findPhysicalTable } from '../../tables/tables/columns.ts';
import { findQuarantineTable, getTable } from '../../tables/tables/registry.ts';
import { completeBatch } from './complete.ts';
import type { IngestionBatch } from './ingestion-batches.ts';
import { type StageDeps, stagePage } from './stage-page.ts';

interface QuarantinedRecord {
  pageNumber: number;
  index: number;
  record: string;
}

/**
 * Stages a batch's quarantined records again and completes the new batch. Records that still do not fit
 * return to the quarantine, with their first origin, when it is applied.
 */
export async function stageQuarantined(
  deps: StageDeps,
  batch: IngestionBatch,
  signal: AbortSignal | undefined,
): Promise<void> {
  const where = { organizationId: batch.organization_id, tableId: batch.table_id, batchId: batch.id };
  let last = { pageNumber: 0, index: -1 };
  let pageNumber = 0;
  /** s_ids of the preceding pages. */
  const before = new Set<bigint>();
  for (;;) {
    signal?.throwIfAborted();
    const found = await readQuarantined(deps, batch, last);
    if (found.length === 0 && pageNumber > 0) break;
    pageNumber += 1;
    const records = found.map(({ record }) => parseExactJson(record) as Row);
    const taken = batch.mode === 'append' ? await takenOf(deps, batch, records, before) : undefined;
    await stagePage(deps, {
      ...where,
      pageNumber,
      body: records,
      ...(taken === undefined ? {} : { taken }),
      originOf: (index) => ({
        batchId: batch.replay_of!,
        pageNumber: found[index]!.pageNumber,
        index: found[index]!.index,
      }),
    });
    last = found.at(-1) ?? last;
    if (found.length < maxRecords) break;
  }
  const manifest = { pageCount: pageNumber, pages: undefined, checkpoint: null, confirmShrink: false };
  await completeBatch(deps.db, where, manifest);
}

/** The records' s_ids that exist in the table or in a preceding page; adds all of them to `before`. */
async function takenOf(
  deps: StageDeps,
  batch: IngestionBatch,
  records: readonly Row[],
  before: Set<bigint>,
): Promise<Set<bigint>> {
  const ids = readRowIds(records);
  if (ids.length === 0) return new Set();
  const { organization_id: organizationId, table_id: tableId } = batch;
  const lake = await deps.lake.catalog.get(organizationId);
  const table = await inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, tableId));
  const physical = await findPhysicalTable(deps.lake.catalogPool, lake.schema, table.name);
  if (physical === undefined) throw notFound('The table');
  const taken = await takenRowIds(deps.lake, lake, physical, ids);
  for (const id of ids) {
    if (before.has(id)) taken.add(id);
    before.add(id);
  }
  return taken;
}

/** The next quarantined records of the batch, in their original order. */
async function readQuarantined(
  deps: StageDeps,
  batch: IngestionBatch,
  after: { pageNumber: number; index: number },
): Promise<QuarantinedRecord[]> {
  const name = await quarantineOf(deps, batch.organization_id, batch.table_id);
  const lake = await deps.lake.catalog.get(batch.organization_id);
  return readLake(deps.lake.engine, lake, async (connection) => {
    const { rows } = await connection.read(
      `SELECT page_number, record_index, record FROM ${identifier(name)}
       WHERE batch_id = $1 AND (page_number, record_index) > ($2, $3)
       ORDER BY page_number, record_index LIMIT ${maxRecords}`,
      [batch.replay_of, BigInt(after.pageNumber), BigInt(after.index)],
    );
    return rows.map(([page, index, record]) => ({
      pageNumber: Number(page),
      index: Number(index),
      record: String(record),
    }));
  });
}

/** Number of a batch's records in the table's quarantine. */
export async function countQuarantined(
  deps: Pick<StageDeps, 'db' | 'lake'>,
  organizationId: string,
  tableId: string,
  batchId: string,
): Promise<number> {
  const name = await quarantineOf(deps, organizationId, tableId);
  const lake = await deps.lake.catalog.get(organizationId);
  return readLake(deps.lake.engine, lake, async (connection) => {
    const { rows } = await connection.read(`SELECT count(*) FROM ${identifier(name)} WHERE batch_id = $1`, [
      batchId,
    ]);
    return Number(rows[0]![0]);
  });
}

async function quarantineOf(
  { db }: Pick<StageDeps, 'db'>,
  organizationId: string,
  tableId: string,
): Promise<string> {
  const table = await inOrganization(db, organizationId, (transaction) =>
    findQuarantineTable(transaction, organizationId, tableId),
  );
  if (table?.status !== 'ready') throw notFound('A quarantine of this table');
  return table.name;
}
