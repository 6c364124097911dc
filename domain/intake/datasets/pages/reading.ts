import { sql } from 'kysely';
import { AppError } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type { ReplicatedResource } from '../../data-connections/replication-policy.ts';
import { type Reached, reachedAt } from '../../data-connections/sources/http-cursor.ts';
import { firstPosition, type PagePosition } from '../../data-connections/sources/http-pages.ts';
import type { Replicated } from '../replicated.ts';
import type { SnapshotRun } from '../snapshot-runs.ts';

/** What a snapshot has read of its source, page after page, as its row keeps it. */
export interface Reading {
  /** Counts what was kept: of two tries at once only one goes on. */
  revision: number;
  /** Of the settings that it began with: with others it begins anew. */
  fingerprint: string;
  /** What the requests of this snapshot ask for the records after; null reads from the beginning. */
  base: Reached | null;
  /** It goes on where the snapshot before met its bound of pages. */
  goesOn: boolean;
  /** Of the next page; null after the last. */
  position: PagePosition | null;
  /** Nothing more is read by this snapshot. */
  isOver: boolean;
  /** The latest that was seen since the source's first page. */
  reached: Reached | null;
  pages: number;
  records: number;
  bytes: number;
  /** The objects that hold the records, in order. */
  parts: ReadPart[];
  /** The page before, to see a source that answers the same for ever. */
  last: { digest: string; times: number } | null;
  /** Requests that the source refused one after the other, asking for patience. */
  refusals: number;
}

export interface ReadPart {
  /** In the bucket. */
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
  return (reading as unknown as Reading | null) ?? undefined;
}

/** Keeps how far a reading is. @throws AppError where another try of the snapshot has gone on meanwhile */
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
    throw new AppError('storage_unavailable', 'Another try of the snapshot went on with the reading.');
  return kept;
}
