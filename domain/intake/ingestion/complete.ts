import { canonicalJson } from '../../../data/canonical-json.ts';
import { AppError } from '../../../data/errors.ts';
import type { JsonValue } from '../../../data/exact-json.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { findDataSync } from './data-syncs.ts';
import {
  countsOf,
  getBatch,
  type IngestionBatch,
  isRevocable,
  moveBatch,
  revocableStatuses,
} from './ingestion-batches.ts';
import { endFenced, fenced, isFenced, notOpen } from './stage-page.ts';
import { manifestHash, pageHashes, stagedTotals } from './staged-pages.ts';

export interface Manifest {
  pageCount: number;
  /** The hash of every page, if the client wants them compared with what is staged. */
  pages: ReadonlyMap<number, string> | undefined;
  /** Undefined if omitted: null in the first request, unchanged in a repeated one. */
  checkpoint: JsonValue | undefined;
  confirmShrink: boolean;
}

/** Maximum number of page numbers of each kind listed for an incomplete manifest. */
const maxNamed = 100;

export interface Completed {
  batch: IngestionBatch;
  /** Whether its process has something new to do. */
  moved: boolean;
}

/**
 * Accepts the manifest of a batch. Idempotent: a repeated request returns the batch; a different manifest, or
 * one for a batch that ended without being applied, is rejected.
 */
export async function completeBatch(
  db: Database,
  where: { organizationId: string; tableId: string; batchId: string },
  manifest: Manifest,
): Promise<Completed> {
  const outcome = await inOrganization(db, where.organizationId, async (transaction) => {
    const batch = await getBatch(transaction, where.organizationId, where.tableId, where.batchId, 'update');
    const sync =
      batch.sync_id === null
        ? undefined
        : await findDataSync(transaction, where.organizationId, batch.sync_id, 'share');
    if (isRevocable(batch.status) && isFenced(batch, sync)) return { batch, isFencedNow: true, moved: false };
    if (batch.status === 'open')
      return { ...(await accept(transaction, batch, manifest)), isFencedNow: false };
    return { ...(await repeat(transaction, batch, manifest)), isFencedNow: false };
  });
  if (outcome.isFencedNow) {
    await endFenced(db, outcome.batch);
    throw fenced();
  }
  return outcome;
}

async function accept(
  db: OrganizationTransaction,
  batch: IngestionBatch,
  manifest: Manifest,
): Promise<Completed> {
  const hashes = await pageHashes(db, batch.organization_id, batch.id);
  refuseIncomplete(hashes, manifest);
  const totals = await stagedTotals(db, batch.organization_id, batch.id);
  const { checkpoint = null } = manifest;
  const moved = await moveBatch(db, batch, 'open', 'completing', {
    page_count: manifest.pageCount,
    manifest_sha256: manifestHash(hashes),
    checkpoint: checkpoint === null ? null : canonicalJson(checkpoint),
    shrink_confirmed: manifest.confirmShrink,
    ...countsOf(totals),
  });
  return { batch: moved ?? batch, moved: true };
}

async function repeat(
  db: OrganizationTransaction,
  batch: IngestionBatch,
  manifest: Manifest,
): Promise<Completed> {
  const isOver = ['aborted', 'expired'].includes(batch.status) || batch.page_count === null;
  if (isOver || isFencedFailure(batch)) throw notOpen(batch);
  if (!isSame(batch, manifest)) {
    throw new AppError(
      'batch_not_open',
      `The batch is already ${batch.status} with another manifest. You can only repeat a complete with the same manifest.`,
    );
  }
  if (batch.status !== 'awaiting_confirmation' || !manifest.confirmShrink) return { batch, moved: false };
  const moved = await moveBatch(db, batch, 'awaiting_confirmation', 'completing', { shrink_confirmed: true });
  return { batch: moved ?? batch, moved: true };
}

function isFencedFailure({ status, error }: IngestionBatch): boolean {
  return status === 'failed' && (error as { code?: string } | null)?.code === 'generation_fenced';
}

function isSame(batch: IngestionBatch, { pageCount, pages, checkpoint }: Manifest): boolean {
  if (batch.page_count !== pageCount) return false;
  // Omitted values count as unchanged.
  if (checkpoint !== undefined && canonicalJson(checkpoint) !== canonicalJson(batch.checkpoint as JsonValue))
    return false;
  return pages === undefined || manifestHash(pages) === batch.manifest_sha256;
}

/** The manifest must be exact and contiguous. Reports missing, extra and different pages together. */
function refuseIncomplete(staged: ReadonlyMap<number, string>, { pageCount, pages }: Manifest): void {
  const missing: number[] = [];
  for (let page = 1; page <= pageCount && missing.length < maxNamed; page += 1)
    if (!staged.has(page)) missing.push(page);
  const extra = new Set([...staged.keys()].filter((page) => page > pageCount));
  const different: number[] = [];
  if (pages !== undefined) {
    for (const [page, sha256] of staged) {
      const own = pages.get(page);
      if (own === undefined) extra.add(page);
      else if (own !== sha256) different.push(page);
    }
    for (const page of pages.keys())
      if (!staged.has(page) && page > pageCount && missing.length < maxNamed) missing.push(page);
  }
  if (missing.length + extra.size + different.length === 0) return;
  const named = [...extra].toSorted((a, b) => a - b).slice(0, maxNamed);
  const lists = [
    missing.length === 0 ? '' : ` Not staged: ${missing.slice(0, 10).join(', ')}.`,
    named.length === 0 ? '' : ` Staged, but not in the manifest: ${named.slice(0, 10).join(', ')}.`,
    different.length === 0 ? '' : ` Staged with another hash: ${different.slice(0, 10).join(', ')}.`,
  ];
  throw new AppError(
    'manifest_incomplete',
    `The manifest of ${pageCount} pages doesn't match the staged pages.${lists.join('')}`,
    { extensions: { missing, extra: named, different: different.slice(0, maxNamed) } },
  );
}

/** Aborts a batch that is not yet being applied; idempotent. @throws AppError batch_not_open */
export async function abortBatch(
  db: Database,
  where: { organizationId: string; tableId: string; batchId: string },
): Promise<IngestionBatch> {
  return inOrganization(db, where.organizationId, async (transaction) => {
    const batch = await getBatch(transaction, where.organizationId, where.tableId, where.batchId, 'update');
    if (batch.status === 'aborted') return batch;
    const from = revocableStatuses.find((status) => status === batch.status);
    if (from === undefined) throw notOpen(batch);
    const totals = await stagedTotals(transaction, where.organizationId, batch.id);
    const moved = await moveBatch(transaction, batch, from, 'aborted', countsOf(totals));
    return moved ?? batch;
  });
}
