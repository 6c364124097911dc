import { createHash } from 'node:crypto';
import { AppError } from '../../../data/errors.ts';
import { uploadKey } from '../../../data/objects/keys.ts';
import type { ObjectStore, PresignedForm } from '../../../data/objects/store.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { limits } from '../limits/limits.ts';
import { getOpenProject } from '../projects/projects.ts';
import { contentTypeOf } from './content-type.ts';
import {
  deleteObjectLater,
  type File,
  getFile,
  getUpload,
  insertUpload,
  markFinalized,
  putFile,
} from './files.ts';
import { type StoreDeps, storeObject } from './store-object.ts';

/** Maximum size of an uploaded object. */
export const maxUploadBytes = limits.files.uploadBytes.most;

export const uploadSeconds = 3_600;

/**
 * A presigned form that sends bytes directly to the object store, under a key that only this upload can
 * write.
 */
export async function mintUpload(
  { db, objects }: StoreDeps,
  { organizationId, projectId, id }: { organizationId: string; projectId: string; id: string },
): Promise<PresignedForm> {
  const objectKey = uploadKey(organizationId, id);
  await inOrganization(db, organizationId, async (transaction) => {
    await getOpenProject(transaction, organizationId, projectId);
    return insertUpload(transaction, {
      organization_id: organizationId,
      id,
      project_id: projectId,
      object_key: objectKey,
      expires_at: new Date(Date.now() + uploadSeconds * 1_000),
    });
  });
  return objects.presignUpload(objectKey, maxUploadBytes, uploadSeconds);
}

interface Finalize {
  organizationId: string;
  projectId: string;
  uploadId: string;
  path: string;
  contentType: string | undefined;
  sha256: string | undefined;
  newId: string;
}

/**
 * Creates a File from an uploaded object. The presigned form stays valid after this call, so the object is
 * first copied to a key that callers cannot write, and the copy is checked. Repeating it returns the same
 * File.
 */
export async function finalizeUpload(deps: StoreDeps, input: Finalize): Promise<File> {
  const { organizationId, projectId } = input;
  const upload = await inOrganization(deps.db, organizationId, async (db) => {
    await getOpenProject(db, organizationId, projectId);
    return getUpload(db, organizationId, projectId, input.uploadId);
  });
  if (upload.file_id !== null) return repeated(deps, input, upload.file_id);
  let sizeBytes = 0;
  let sha256 = '';
  const { file } = await storeObject(
    deps,
    organizationId,
    async (objectKey) => {
      ({ sizeBytes } = await copyChecked(deps.objects, upload.object_key, objectKey));
      sha256 = await hashObject(deps.objects, objectKey);
      if (input.sha256 === undefined || input.sha256 === sha256) return;
      throw new AppError(
        'conflict',
        `The uploaded bytes have the SHA-256 ${sha256}, which differs from the one you sent. Upload the file again.`,
      );
    },
    async (db, objectKey) => {
      const locked = await getUpload(db, organizationId, projectId, input.uploadId, 'update');
      if (locked.file_id !== null) return { file: await getFile(db, organizationId, locked.file_id) };
      const contentType = input.contentType ?? contentTypeOf(input.path);
      const content = { objectKey, contentType, sizeBytes, sha256, source: 'upload' as const };
      const written = await putFile(db, input, { ...content, writeId: upload.id });
      await markFinalized(db, locked, written.file.id);
      await deleteObjectLater(db, organizationId, upload.object_key, 0);
      return written;
    },
  );
  return file;
}

async function repeated(deps: StoreDeps, input: Finalize, fileId: string): Promise<File> {
  const file = await inOrganization(deps.db, input.organizationId, (db) =>
    getFile(db, input.organizationId, fileId),
  );
  if (file.path !== input.path || (input.sha256 !== undefined && input.sha256 !== file.sha256)) {
    throw new AppError('conflict', `The upload has already been finalized as ${file.path}.`);
  }
  return file;
}

/**
 * The form may be used again between the check and the copy; a copy of anything else than was checked is
 * retried.
 */
async function copyChecked(objects: ObjectStore, from: string, to: string): Promise<{ sizeBytes: number }> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const seen = await objects.head(from);
    if (seen === undefined) throw new AppError('conflict', 'Nothing has been uploaded with this form yet.');
    if (seen.sizeBytes > maxUploadBytes)
      throw new AppError('conflict', `The upload is larger than ${maxUploadBytes} bytes.`);
    if (await objects.copy(from, to, seen.etag)) return { sizeBytes: seen.sizeBytes };
  }
  throw new AppError(
    'conflict',
    'The upload changed while it was being finalized. Upload the file once, then finalize it.',
  );
}

async function hashObject(objects: ObjectStore, key: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await objects.read(key)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
