import { randomUUID } from 'node:crypto';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { findOperations, voidOperation } from '../../../data/lake/ledger.ts';
import { readText } from '../../../data/objects/read.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';

export interface StagingDeps {
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  objects: ObjectStore;
}

/** The content of one commit, whether or not it is already staged. */
export interface StagedWork {
  organizationId: string;
  /** Id of the import or snapshot; staged files are below a folder of this name. */
  id: string;
  /** In the lake's ledger exactly when the rows are in the table. */
  operationId: string;
  /** Object key of the manifest, which lists the staged Parquet files. */
  manifestKey: string;
}

export async function isCommitted({ lake }: Pick<StagingDeps, 'lake'>, work: StagedWork): Promise<boolean> {
  const { schema } = await lake.catalog.get(work.organizationId);
  return (await findOperations(lake.catalogPool, schema, [work.operationId])).size > 0;
}

/** Folder for the files of one attempt; ends with a slash. */
export async function newAttemptUrl(
  deps: Pick<StagingDeps, 'lake'>,
  work: Pick<StagedWork, 'organizationId' | 'id'>,
): Promise<string> {
  return `${await stagingUrl(deps, work)}${randomUUID()}/`;
}

export async function writeManifest(
  { objects }: Pick<StagingDeps, 'objects'>,
  work: StagedWork,
  manifest: object,
): Promise<void> {
  await objects.put(work.manifestKey, Buffer.from(JSON.stringify(manifest)), 'application/json');
}

export async function readManifest<Manifest>(
  { objects }: Pick<StagingDeps, 'objects'>,
  work: StagedWork,
): Promise<Manifest> {
  return JSON.parse(await readText(objects, work.manifestKey)) as Manifest;
}

interface Commit<Manifest, Committed, Recorded> {
  /** Commits by the work's operation: a repetition finds the commit of the first. */
  commit: (manifest: Manifest) => Promise<Committed>;
  record: (db: OrganizationTransaction, manifest: Manifest, committed: Committed) => Promise<Recorded>;
  /** Removes what nothing refers to any more. */
  cleanUp?: (manifest: Manifest) => Promise<void>;
}

/** Commits what the manifest lists exactly once, records the outcome, and removes the manifest. */
export async function commitOnce<Manifest, Committed, Recorded>(
  deps: Pick<StagingDeps, 'objects'> & { db: Database },
  work: StagedWork,
  { commit, record, cleanUp }: Commit<Manifest, Committed, Recorded>,
): Promise<Recorded> {
  const manifest = await readManifest<Manifest>(deps, work);
  const committed = await commit(manifest);
  const recorded = await inOrganization(deps.db, work.organizationId, (db) =>
    record(db, manifest, committed),
  );
  await cleanUp?.(manifest);
  await deps.objects.remove(work.manifestKey);
  return recorded;
}

/**
 * Ends work without its process; false if the lake has its commit, and only the outcome has to be recorded.
 * From then on the database refuses a commit that is still in progress, so that nothing can refer to the
 * files that `end` removes.
 */
export async function giveUp(
  { lake }: Pick<StagingDeps, 'lake'>,
  work: StagedWork,
  end: () => Promise<unknown>,
): Promise<boolean> {
  const { schema } = await lake.catalog.get(work.organizationId);
  if ((await voidOperation(lake.catalogPool, schema, work.operationId)) !== undefined) return false;
  await end();
  return true;
}

/** Removes staged files unless a commit has added them; false if it has. */
export async function removeStaged(deps: StagingDeps, work: StagedWork): Promise<boolean> {
  if (await isCommitted(deps, work)) return false;
  await removeBelow(deps, await stagingUrl(deps, work));
  await deps.objects.remove(work.manifestKey);
  return true;
}

/** Removes all objects below a URL of the lake's bucket, and what of others was uploaded. */
export async function removeBelow({ objects }: Pick<StagingDeps, 'objects'>, url: string): Promise<void> {
  await objects.abortUploads(keyOf(objects, url));
  await objects.removeAll(keyOf(objects, url));
}

/** Bytes of all objects below a URL of the lake's bucket. */
export function sizeBelow({ objects }: Pick<StagingDeps, 'objects'>, url: string): Promise<number> {
  return objects.sizeOfAll(keyOf(objects, url));
}

const keyOf = ({ settings }: ObjectStore, url: string) => url.slice(`s3://${settings.bucket}/`.length);

async function stagingUrl(
  { lake }: Pick<StagingDeps, 'lake'>,
  work: Pick<StagedWork, 'organizationId' | 'id'>,
): Promise<string> {
  const { writer } = await lake.catalog.get(work.organizationId);
  return `${writer.dataPath}main/${work.id}/`;
}
