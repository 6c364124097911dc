import type { LakeDeps } from '../../../data/lake/commit.ts';
import { findOperations } from '../../../data/lake/ledger.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { Copied, SourceCopier } from './copy/copier.ts';
import type { Replica, ReplicateDeps } from './replicate.ts';
import type { SnapshotRun } from './snapshot-runs.ts';

export interface SnapshotRunDeps extends ReplicateDeps {
  db: Database;
  lake: LakeDeps;
  objects: ObjectStore;
  copier: SourceCopier;
}

/** What is staged, as its manifest says it. */
export interface Manifest extends Copied {
  /** Of a source that is read page after page. */
  replica?: Replica;
}

/** The snapshot's name in the lake's ledger: it is there exactly when its rows are in the table. */
export const operationOf = (row: SnapshotRun): string => `snapshot:${row.id}`;

export async function isInLake({ lake }: Pick<SnapshotRunDeps, 'lake'>, row: SnapshotRun): Promise<boolean> {
  const { schema } = await lake.catalog.get(row.organization_id);
  return (await findOperations(lake.catalogPool, schema, [operationOf(row)])).size > 0;
}

export async function readManifest({ objects }: SnapshotRunDeps, row: SnapshotRun): Promise<Manifest> {
  const chunks: Buffer[] = [];
  for await (const chunk of await objects.read(manifestKey(row))) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Manifest;
}

/** Pages as they were read, what a killed try was about to make of them, and the manifest. */
export async function removeNotes({ objects }: SnapshotRunDeps, row: SnapshotRun): Promise<void> {
  await objects.abortUploads(pagesPrefix(row));
  await objects.removeAll(pagesPrefix(row));
  await objects.remove(manifestKey(row));
}

/** Object key of the manifest that names the staged Parquet files. */
export function manifestKey(row: SnapshotRun): string {
  return `snapshots/${row.organization_id}/${row.id}.json`;
}

/** Key of the folder of the pages that were read; ends in a slash. */
export function pagesPrefix(row: SnapshotRun): string {
  return `snapshots/${row.organization_id}/${row.id}/`;
}
