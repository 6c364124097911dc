import { createHash } from 'node:crypto';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { getOpenProject } from '../projects/projects.ts';
import { contentTypeOf } from './content-type.ts';
import { type File, putFile } from './files.ts';
import { type StoreDeps, storeObject } from './store-object.ts';

export interface FileWrite {
  organizationId: string;
  projectId: string;
  path: string;
  bytes: Buffer;
  /** By default what the path's ending says. */
  contentType?: string;
  /** Identifies the write, and becomes the id of a new file: a repetition finds it done. */
  id: string;
  /** Work in the same transaction as the write. */
  within?: (db: OrganizationTransaction, file: File) => Promise<unknown>;
}

/** Writes a small file: a new one, or the next version of the existing one at that path. */
export async function writeFile(
  deps: StoreDeps,
  { organizationId, projectId, path, bytes, contentType = contentTypeOf(path), id, within }: FileWrite,
): Promise<{ file: File; created: boolean }> {
  await inOrganization(deps.db, organizationId, (db) => getOpenProject(db, organizationId, projectId));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const content = { contentType, sizeBytes: bytes.length, sha256, source: 'write' as const, writeId: id };
  return storeObject(
    deps,
    organizationId,
    (objectKey) => deps.objects.put(objectKey, bytes, contentType),
    async (db, objectKey) => {
      const put = await putFile(
        db,
        { organizationId, projectId, path, newId: id },
        { ...content, objectKey },
      );
      await within?.(db, put.file);
      return put;
    },
  );
}
