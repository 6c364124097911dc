import { createHash } from 'node:crypto';
import { inOrganization } from '../../data/postgres/client.ts';
import { getOpenProject } from '../projects/projects.ts';
import { contentTypeOf } from './content-type.ts';
import { type File, putFile } from './files.ts';
import { type StoreDeps, storeObject } from './store-object.ts';

export interface FileWrite {
  organizationId: string;
  projectId: string;
  path: string;
  bytes: Buffer;
  /** Names the write, and the file where it is new: the same again is found to be done. */
  id: string;
}

/** Writes a small file: a new one, or the next version of the one at that path. */
export async function writeFile(
  deps: StoreDeps,
  { organizationId, projectId, path, bytes, id }: FileWrite,
): Promise<{ file: File; created: boolean }> {
  await inOrganization(deps.db, organizationId, (db) => getOpenProject(db, organizationId, projectId));
  const contentType = contentTypeOf(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const content = { contentType, sizeBytes: bytes.length, sha256, source: 'write' as const, writeId: id };
  return storeObject(
    deps,
    organizationId,
    (objectKey) => deps.objects.put(objectKey, bytes, contentType),
    (db, objectKey) => putFile(db, { organizationId, projectId, path, newId: id }, { ...content, objectKey }),
  );
}
