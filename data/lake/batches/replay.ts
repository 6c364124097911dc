import { notFound } from '../../errors.ts';
import { parseExactJson } from '../../exact-json.ts';
import { inOrganization } from '../../postgres/client.ts';
import type { IngestionBatch } from '../../postgres/ingestion-batches.ts';
import { findQuarantineTable } from '../../postgres/tables.ts';
import { maxPageRecords } from '../pages/scan.ts';
import type { Row } from '../rows/plan.ts';
import { identifier } from '../sql.ts';
import { completeBatch } from './complete.ts';
import { type StageDeps, stagePage } from './stage-page.ts';

interface QuarantinedRecord {
  pageNumber: number;
  index: number;
  record: string;
}

/**
 * Stages again what one batch left in quarantine, and completes the new batch. Records that still do not fit go
 * back to the quarantine with their first origin when it is applied.
 */
export async function stageQuarantined(
  deps: StageDeps,
  batch: IngestionBatch,
  signal: AbortSignal | undefined,
): Promise<void> {
  const where = { organizationId: batch.organization_id, tableId: batch.table_id, batchId: batch.id };
  let last = { pageNumber: 0, index: -1 };
  let pageNumber = 0;
  for (;;) {
    signal?.throwIfAborted();
    const found = await readQuarantined(deps, batch, last);
    if (found.length === 0 && pageNumber > 0) break;
    pageNumber += 1;
    await stagePage(deps, {
      ...where,
      pageNumber,
      body: { records: () => found.map(({ record }) => parseExactJson(record) as Row) },
      originOf: (index) => ({
        batchId: batch.replay_of!,
        pageNumber: found[index]!.pageNumber,
        index: found[index]!.index,
      }),
    });
    last = found.at(-1) ?? last;
    if (found.length < maxPageRecords) break;
  }
  const manifest = { pageCount: pageNumber, pages: undefined, checkpoint: null, confirmShrink: false };
  await completeBatch(deps.db, where, manifest);
}

/** The next records of the batch in quarantine, in the order they first came. */
async function readQuarantined(
  deps: StageDeps,
  batch: IngestionBatch,
  after: { pageNumber: number; index: number },
): Promise<QuarantinedRecord[]> {
  const name = await quarantineOf(deps, batch.organization_id, batch.table_id);
  const lake = await deps.lake.catalog.get(batch.organization_id);
  return deps.lake.engine.use(lake.writer, async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT page_number, record_index, record FROM ${identifier(name)}
       WHERE batch_id = $1 AND (page_number, record_index) > ($2, $3)
       ORDER BY page_number, record_index LIMIT ${maxPageRecords}`,
      [batch.replay_of, BigInt(after.pageNumber), BigInt(after.index)],
    );
    return reader.getRows().map(([page, index, record]) => ({
      pageNumber: Number(page),
      index: Number(index),
      record: String(record),
    }));
  });
}

/** How many records of a batch are in the table's quarantine. */
export async function countQuarantined(
  deps: Pick<StageDeps, 'db' | 'lake'>,
  organizationId: string,
  tableId: string,
  batchId: string,
): Promise<number> {
  const name = await quarantineOf(deps, organizationId, tableId);
  const lake = await deps.lake.catalog.get(organizationId);
  return deps.lake.engine.use(lake.writer, async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT count(*) FROM ${identifier(name)} WHERE batch_id = $1`,
      [batchId],
    );
    return Number(reader.getRows()[0]![0]);
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
