import { createHash } from 'node:crypto';
import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { limits } from '../../workspace/limits/limits.ts';

export type StagedPage = Selectable<DB['staged_pages']>;

/** Highest page number in the public API. */
export const maxPageNumber = limits.ingestion.pages.most;

export async function findPage(
  db: OrganizationTransaction,
  organizationId: string,
  batchId: string,
  pageNumber: number,
): Promise<StagedPage | undefined> {
  return db
    .selectFrom('staged_pages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('batch_id', '=', batchId)
    .where('page_number', '=', pageNumber)
    .executeTakeFirst();
}

/** Adds a page; undefined if there is already one with its number. */
export async function insertPage(
  db: OrganizationTransaction,
  page: Insertable<DB['staged_pages']>,
): Promise<StagedPage | undefined> {
  return db
    .insertInto('staged_pages')
    .values(page)
    .onConflict((conflict) => conflict.columns(['organization_id', 'batch_id', 'page_number']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** A batch's pages after a number, in order. */
export async function listPages(
  db: OrganizationTransaction,
  organizationId: string,
  batchId: string,
  after: number,
  limit: number,
): Promise<StagedPage[]> {
  return db
    .selectFrom('staged_pages')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('batch_id', '=', batchId)
    .where('page_number', '>', after)
    .orderBy('page_number')
    .limit(limit)
    .execute();
}

/** Pages read per query; the columns of one may take tens of kilobytes. */
const pagesAtOnce = 1_000;

/**
 * All pages of a batch, in order. Pages with equal columns share one object, so that 100,000 wide pages fit
 * into memory.
 */
export async function allPages(
  db: OrganizationTransaction,
  organizationId: string,
  batchId: string,
): Promise<StagedPage[]> {
  const pages: StagedPage[] = [];
  const shared = new Map<string, StagedPage['columns']>();
  for (;;) {
    const next = await listPages(db, organizationId, batchId, pages.at(-1)?.page_number ?? 0, pagesAtOnce);
    for (const page of next) {
      const text = JSON.stringify(page.columns);
      const columns = shared.get(text) ?? page.columns;
      shared.set(text, columns);
      pages.push({ ...page, columns });
    }
    if (next.length < pagesAtOnce) return pages;
  }
}

export interface StagedTotals {
  pages: number;
  records: number;
  quarantined: number;
  bytes: number;
}

const nothingStaged: StagedTotals = { pages: 0, records: 0, quarantined: 0, bytes: 0 };

export async function stagedTotals(
  db: OrganizationTransaction,
  organizationId: string,
  batchId: string,
): Promise<StagedTotals> {
  return (await stagedTotalsOf(db, organizationId, [batchId]))(batchId);
}

/** The totals of several batches, in one query. */
export async function stagedTotalsOf(
  db: OrganizationTransaction,
  organizationId: string,
  batchIds: readonly string[],
): Promise<(batchId: string) => StagedTotals> {
  if (batchIds.length === 0) return () => nothingStaged;
  const rows = await db
    .selectFrom('staged_pages')
    .select(({ fn }) => [
      'batch_id',
      fn.countAll<number>().as('pages'),
      sql<number>`coalesce(sum(records), 0)::bigint`.as('records'),
      sql<number>`coalesce(sum(quarantined), 0)::bigint`.as('quarantined'),
      sql<number>`coalesce(sum(size_bytes), 0)::bigint`.as('bytes'),
    ])
    .where('organization_id', '=', organizationId)
    .where('batch_id', 'in', batchIds)
    .groupBy('batch_id')
    .execute();
  const found = new Map(rows.map(({ batch_id: id, ...totals }) => [id, totals]));
  return (batchId) => found.get(batchId) ?? nothingStaged;
}

/** The hashes of all staged pages in order, for comparison with a manifest. */
export async function pageHashes(
  db: OrganizationTransaction,
  organizationId: string,
  batchId: string,
): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('staged_pages')
    .select(['page_number', 'sha256'])
    .where('organization_id', '=', organizationId)
    .where('batch_id', '=', batchId)
    .orderBy('page_number')
    .execute();
  return new Map(rows.map((row) => [row.page_number, row.sha256]));
}

/** SHA-256 of a manifest, as lowercase hex, over its `number:sha256` lines in order. */
export function manifestHash(pages: ReadonlyMap<number, string>): string {
  const hash = createHash('sha256');
  for (const [number, sha256] of [...pages].toSorted(([a], [b]) => a - b))
    hash.update(`${number}:${sha256}\n`);
  return hash.digest('hex');
}
