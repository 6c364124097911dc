import { sql } from 'kysely';
import { AppError } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type { RecordOf } from '../../../../data/postgres/records.ts';
import type { ReplicatedResource } from '../../data-connections/replication-policy.ts';
import { type Reached, reachedAt } from '../../data-connections/sources/http-cursor.ts';
import { firstPosition, type PagePosition } from '../../data-connections/sources/http-pages.ts';
import type { Replicated } from '../replicated.ts';

type SnapshotRun = RecordOf<'snapshot_runs'>;

/** A snapshot's position in reading its source page by page; stored in its row. */
export interface Reading {
  /** Incremented with every write: of two concurrent attempts only one can continue. */
  revision: number;
  /** Fingerprint of the settings that it began with; if they change, it starts over. */
  fingerprint: string;
  /** This snapshot requests the records after this position; null reads from the beginning. */
  base: Reached | null;
  /** It continues where the previous snapshot reached its limit of pages. */
  goesOn: boolean;
  /** Position of the next page; null after the last. */
  position: PagePosition | null;
  /** This snapshot reads no further pages. */
  isOver: boolean;
  /** Latest position seen since the source's first page. */
  reached: Reached | null;
  pages: number;
  records: number;
  bytes: number;
  /** The objects with the records, in order. */
  parts: ReadPart[];
  /** The last page, to detect a source that keeps sending the same answer. */
  last: { digest: string; times: number } | null;
  /** The source showed another page, which the policy does not read; undefined in readings of before. */
  showsMore?: boolean;
  /** Number of consecutive requests that the source rejected with a request to wait. */
  refusals: number;
}

export interface ReadPart {
  /** Key in the bucket. */
  key: string;
  bytes: number;
}

export function newReading(
  resource: ReplicatedResource,
  fingerprint: string,
  known: Replicated | undefined,
  now: Date,
): Reading {
  const { cursor } = resource;
  const isFromNow = known === undefined && cursor?.bootstrap_mode === 'from_now';
  const base = cursor === undefined ? null : isFromNow ? reachedAt(now, cursor) : (known?.reached ?? null);
  const sweep = known?.sweep ?? null;
  return {
    revision: 0,
    fingerprint,
    base,
    goesOn: sweep !== null,
    position: sweep?.position ?? firstPosition(resource),
    isOver: false,
    reached: sweep?.reached ?? base,
    pages: 0,
    records: 0,
    bytes: 0,
    parts: [],
    last: null,
    refusals: 0,
  };
}

export function readingOf({ reading }: SnapshotRun): Reading | undefined {
  return reading ?? undefined;
}

/**
 * Stores the position of a reading. @throws AppError if another attempt of the snapshot has continued
 * meanwhile
 */
export async function keepReading(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: SnapshotRun,
  reading: Reading,
): Promise<Reading> {
  const kept = { ...reading, revision: reading.revision + 1 };
  const { numUpdatedRows } = await db
    .updateTable('snapshot_runs')
    .set({ reading: JSON.stringify(kept), rows_copied: kept.records, bytes_copied: kept.bytes })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where(sql<number>`coalesce((reading->>'revision')::integer, 0)`, '=', reading.revision)
    .executeTakeFirst();
  if (numUpdatedRows === 0n)
    throw new AppError('storage_unavailable', 'Another attempt of the snapshot continued reading.');
  return kept;
}
