import { randomUUID } from 'node:crypto';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { findOperations, voidOperation } from '../../../data/lake/ledger.ts';
import { readText } from '../../../data/objects/read.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';

export interface StagingDeps {
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  objects: ObjectStore;
}

/** What one commit is to take, whether or not it is staged already. */
export interface StagedWork {
  organizationId: string;
  /** Of the import or the snapshot; its staged files are below a folder of this name. */
  id: string;
  /** In the lake's ledger exactly when the rows are in the table. */
  operationId: string;
  /** Object key of the manifest that names the staged Parquet files. */
  manifestKey: string;
}

export async function isCommitted({ lake }: Pick<StagingDeps, 'lake'>, work: StagedWork): Promise<boolean> {
  const { schema } = await lake.catalog.get(work.organizationId);
  return (await findOperations(lake.catalogPool, schema, [work.operationId])).size > 0;
}

/** Where one attempt writes its files; ends in a slash. */
export async function newAttemptUrl(deps: Pick<StagingDeps, 'lake'>, work: StagedWork): Promise<string> {
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

/**
 * Has the database refuse a commit that may still be under way, so that nothing can name what is then
 * removed; false where the lake has it already.
 */
export async function refuseCommit({ lake }: Pick<StagingDeps, 'lake'>, work: StagedWork): Promise<boolean> {
  const { schema } = await lake.catalog.get(work.organizationId);
  return (await voidOperation(lake.catalogPool, schema, work.operationId)) === undefined;
}

/** Removes what was staged, unless a commit has taken it; whether it did. */
export async function removeStaged(deps: StagingDeps, work: StagedWork): Promise<boolean> {
  if (await isCommitted(deps, work)) return false;
  await removeBelow(deps, await stagingUrl(deps, work));
  await deps.objects.remove(work.manifestKey);
  return true;
}

/** Removes every object below an address of the lake's bucket. */
export function removeBelow({ objects }: Pick<StagingDeps, 'objects'>, url: string): Promise<void> {
  return objects.removeAll(url.slice(`s3://${objects.settings.bucket}/`.length));
}

async function stagingUrl({ lake }: Pick<StagingDeps, 'lake'>, work: StagedWork): Promise<string> {
  const { writer } = await lake.catalog.get(work.organizationId);
  return `${writer.dataPath}main/${work.id}/`;
}
