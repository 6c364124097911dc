import type { LakeDeps } from '../../../data/lake/commit.ts';
import { RemoteFailure } from '../../../data/outgoing/failure.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { findPhysicalTable, type LakeColumn } from '../../tables/tables/columns.ts';
import type { FileMerge } from '../../tables/tables/merge-files.ts';
import type { DataConnection } from '../data-connections/data-connections.ts';
import { columnOf, type ReplicatedResource } from '../data-connections/replication-policy.ts';
import type { Copied } from './copy/copier.ts';
import type { Dataset } from './datasets.ts';
import { type ReadDeps, readPages } from './pages/read.ts';
import { newReading, type Reading, readingOf } from './pages/reading.ts';
import { type StagePagesDeps, stagePages } from './pages/stage.ts';
import { fingerprintOf, keyColumnsOf, type Replicated, replicatedOf, resourceOf } from './replicated.ts';
import {
  type CopyProgress,
  lockSnapshot,
  type SnapshotRun,
  type SnapshotStaged,
  type SnapshotWarning,
} from './snapshot-runs.ts';

export interface ReplicateDeps {
  lake: LakeDeps;
  /** Dependencies for reading sources page by page and converting the records to Parquet. */
  replication: ReadDeps & StagePagesDeps;
}

/** How the records change the table. */
export interface Replica {
  /** The records are merged into the table instead of replacing its content. */
  isIncremental: boolean;
  keys: readonly string[];
  overlap: FileMerge['overlap'];
  cursor: string | null;
  /**
   * For databases: the source's columns at the previous snapshot, by their names in the table; undefined if
   * they are the table's.
   */
  previousColumns?: readonly string[] | undefined;
  /** The dataset's position once this is committed. */
  next: Replicated;
}

export interface Replication {
  row: SnapshotRun;
  connection: DataConnection;
  dataset: Dataset;
  /** Ends with a slash. Everything below it belongs to this attempt. */
  prefixUrl: string;
  /** Key of the folder for pages, shared by all attempts; ends with a slash. */
  pagesPrefix: string;
}

/**
 * Reads an HTTP source according to its policy: from where the last snapshot stopped, as far as the limits
 * allow now.
 *
 * @returns what is staged, or when to continue
 */
export async function replicate(
  deps: ReplicateDeps,
  { row, connection, dataset, prefixUrl, pagesPrefix }: Replication,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<(Copied & { replica: Replica }) | SnapshotStaged> {
  const { organization_id: organizationId, table_id: tableId } = row;
  const resource = resourceOf(connection, dataset);
  const keys = keyColumnsOf(dataset, resource);
  const fingerprint = fingerprintOf(connection, resource, keys);
  const known = replicatedOf(dataset, fingerprint, tableId);
  const kept = readingOf(row);
  const begun = newReading(resource, fingerprint, known, new Date());
  const isSame = kept?.fingerprint === fingerprint;
  const before = isSame ? kept : { ...begun, revision: kept?.revision ?? 0 };
  const request = { row, connection, resource, isKeyed: keys.length > 0, prefix: pagesPrefix };
  const { reading, limited } = await readPages(deps.replication, request, before, progress, signal);
  await inOrganization(deps.replication.db, organizationId, (db) => lockSnapshot(db, row, limited));
  if (!reading.isOver) {
    const { waitMs: goesOnAfterMs = 0, waitsFor } = limited ?? {};
    return { rows: reading.records, goesOnAfterMs, ...(waitsFor === undefined ? {} : { waitsFor }) };
  }
  const pages = { organizationId, resource: dataset.resource, reading, keys, prefixUrl };
  const table = await stagePages(deps.replication, pages, progress, signal);
  const isIncremental = known !== undefined && (reading.base !== null || reading.goesOn);
  const columns =
    table.rows > 0 || isIncremental ? table.columns : await columnsOfNothing(deps, row, resource);
  const next = nextOf(reading, { fingerprint, tableId });
  return {
    ...table,
    columns,
    bytes: reading.bytes,
    warnings: reading.showsMore === true ? [morePages] : [],
    replica: {
      isIncremental,
      keys,
      overlap: overlapOf(reading, resource),
      cursor: (reading.reached ?? next.reached)?.cursor ?? null,
      next,
    },
  };
}

const morePages: SnapshotWarning = {
  code: 'more_pages',
  message:
    'The source has more pages, but this resource has no pagination, so the service copied only the first page. Set its pagination in http_replication.',
  count: 1,
};

/**
 * If a reading reached its limit of pages, the next one continues there; only after the last page does the
 * cursor advance.
 */
function nextOf(
  { position, base, reached }: Reading,
  about: Pick<Replicated, 'fingerprint' | 'tableId'>,
): Replicated {
  return position === null
    ? { ...about, reached: reached ?? base, sweep: null }
    : { ...about, reached: base, sweep: { position, reached } };
}

/** Records read from a cursor on may have been read before. */
function overlapOf({ base }: Reading, resource: ReplicatedResource): Replica['overlap'] {
  if (base === null || resource.cursor === undefined) return undefined;
  return { cursorColumn: columnOf(resource, resource.cursor.field) };
}

/** Columns for a source without records: those of the table, or those named in the policy. */
async function columnsOfNothing(
  { lake }: ReplicateDeps,
  row: SnapshotRun,
  resource: ReplicatedResource,
): Promise<LakeColumn[]> {
  const { cursor, field_mappings: mappings = {} } = resource;
  const { schema } = await lake.catalog.get(row.organization_id);
  const table = await findPhysicalTable(lake.catalogPool, schema, row.table_name);
  if (table !== undefined) return table.columns;
  const fields = [cursor?.field, cursor?.tie_breaker_field].filter((field) => field !== undefined);
  const names = new Set([...fields.map((field) => columnOf(resource, field)), ...Object.values(mappings)]);
  if (names.size === 0)
    throw new RemoteFailure(
      'request',
      'The source has no records yet. The service needs at least one record to find the columns of the table.',
    );
  return [...names].map((name) => ({ name, dataType: 'STRING', nullable: true, typing: 'undetermined' }));
}
