import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { StagedWork } from '../../tables/staging/staging.ts';
import type { GateDeps } from '../../tables/verification/gate.ts';
import { removeUnneeded } from '../../workspace/files/remove-unneeded.ts';
import type { Copied, SourceCopier } from './copy/copier.ts';
import type { Replica, ReplicateDeps } from './replicate.ts';
import type { SnapshotRun } from './snapshot-runs.ts';

export interface SnapshotRunDeps extends ReplicateDeps, Omit<GateDeps, keyof ReplicateDeps> {
  db: Database;
  lake: LakeDeps;
  objects: ObjectStore;
  copier: SourceCopier;
}

/** The manifest: what is staged. */
export interface Manifest extends Copied {
  /** For HTTP sources and incremental datasets. */
  replica?: Replica;
}

export const workOf = ({ organization_id: organizationId, id }: SnapshotRun): StagedWork => ({
  organizationId,
  id,
  operationId: `snapshot:${id}`,
  manifestKey: `snapshots/${organizationId}/${id}.json`,
});

/** Removes the stored pages, and unfinished uploads of a killed attempt. */
export async function removePages(deps: SnapshotRunDeps, row: SnapshotRun): Promise<void> {
  await deps.objects.abortUploads(pagesPrefix(row));
  await removeUnneeded(deps, row.organization_id, pagesPrefix(row));
}

/** Key of the folder for the pages that were read; ends with a slash. */
export function pagesPrefix(row: SnapshotRun): string {
  return `snapshots/${row.organization_id}/${row.id}/`;
}
