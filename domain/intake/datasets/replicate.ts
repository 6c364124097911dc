import type { LakeDeps } from '../../../data/lake/commit.ts';
import { RemoteFailure } from '../../../data/outgoing/failure.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { findPhysicalTable, type LakeColumn } from '../../tables/tables/columns.ts';
import type { FileMerge } from '../../tables/tables/merge-files.ts';
import type { DataConnection } from '../data-connections/data-connections.ts';
import type { ReplicatedResource } from '../data-connections/replication-policy.ts';
import type { Copied } from './copy/copier.ts';
import type { Dataset } from './datasets.ts';
import { type ReadDeps, readPages } from './pages/read.ts';
import { newReading, type Reading, readingOf } from './pages/reading.ts';
import { type StagePagesDeps, stagePages } from './pages/stage.ts';
import { fingerprintOf, keyColumnsOf, type Replicated, replicatedOf, resourceOf } from './replicated.ts';
import { type CopyProgress, lockSnapshot, type SnapshotRun, type SnapshotStaged } from './snapshot-runs.ts';

export interface ReplicateDeps {
  lake: LakeDeps;
  /** Ways to read sources page after page, and to make Parquet of what they answered. */
  replication: ReadDeps & StagePagesDeps;
}

/** What a table becomes by what was read. */
export interface Replica {
  /** It adds to the table, instead of being its whole content. */
  isIncremental: boolean;
  keys: readonly string[];
  overlap: FileMerge['overlap'];
  cursor: string | null;
  /** How far the dataset is once this is committed. */
  next: Replicated;
}

export interface Replication {
  row: SnapshotRun;
  connection: DataConnection;
  dataset: Dataset;
  /** Ends in a slash. Everything under it belongs to this try. */
  prefixUrl: string;
  /** Key of the folder for pages, which all tries share; ends in a slash. */
  pagesPrefix: string;
}

/**
 * Reads an HTTP source as its policy says: from where the snapshot before came to, as far as its limits let
 * it now.
 *
 * @returns what is staged, or when to go on
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
    replica: {
      isIncremental,
      keys,
      overlap: overlapOf(reading, resource),
      cursor: (reading.reached ?? next.reached)?.cursor ?? null,
      next,
    },
  };
}

/**
 * A reading that met its bound of pages goes on there; only when all was seen the next one begins after it.
 */
function nextOf(
  { position, base, reached }: Reading,
  about: Pick<Replicated, 'fingerprint' | 'tableId'>,
): Replicated {
  return position === null
    ? { ...about, reached: reached ?? base, sweep: null }
    : { ...about, reached: base, sweep: { position, reached } };
}

/** What was read from a cursor on may have been read before. */
function overlapOf(
  { base }: Reading,
  { cursor, field_mappings: mappings }: ReplicatedResource,
): Replica['overlap'] {
  if (base === null || cursor === undefined) return undefined;
  return { cursorColumn: mappings?.[cursor.field] ?? cursor.field };
}

/** The columns of a source without records: those that the table has, or that the policy names. */
async function columnsOfNothing(
  { lake }: ReplicateDeps,
  row: SnapshotRun,
  { cursor, field_mappings: mappings = {} }: ReplicatedResource,
): Promise<LakeColumn[]> {
  const { schema } = await lake.catalog.get(row.organization_id);
  const table = await findPhysicalTable(lake.catalogPool, schema, row.table_name);
  if (table !== undefined) return table.columns;
  const fields = [cursor?.field, cursor?.tie_breaker_field].filter((field) => field !== undefined);
  const names = new Set([...fields.map((field) => mappings[field] ?? field), ...Object.values(mappings)]);
  if (names.size === 0)
    throw new RemoteFailure(
      'request',
      'The source has no record yet: a table needs one to know its columns.',
    );
  return [...names].map((name) => ({ name, dataType: 'STRING', nullable: true, typing: 'undetermined' }));
}
