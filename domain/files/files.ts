import type { Insertable, Selectable } from 'kysely';
import { notFound } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import type { Files, FileUploads } from '../../data/postgres/schema.gen.ts';

export type File = Selectable<Files>;
export type FileUpload = Selectable<FileUploads>;

/** How long the object of a replaced or deleted file stays for those still reading it. */
const readersGraceMs = 24 * 3_600_000;

export async function listFiles(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  options: { after: string | undefined; limit: number },
): Promise<File[]> {
  let query = db
    .selectFrom('files')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId);
  if (options.after !== undefined) query = query.where('id', '<', options.after);
  return query.orderBy('id', 'desc').limit(options.limit).execute();
}

/** The file with this id, in this project where one is given. */
export async function getFile(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  projectId?: string,
): Promise<File> {
  let query = db
    .selectFrom('files')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  const file = isId('fil', id) ? await query.executeTakeFirst() : undefined;
  if (file === undefined) throw notFound('The file');
  return file;
}

export interface StoredContent {
  objectKey: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  source: 'write' | 'upload';
  /** Names the request that wrote it. */
  writeId: string;
}

/**
 * Points a path at newly stored content: a new file, or the next version of the one at that path. The object
 * it replaces is removed later. Repeating the same write changes nothing.
 */
export async function putFile(
  db: OrganizationTransaction,
  where: { organizationId: string; projectId: string; path: string; newId: string },
  content: StoredContent,
): Promise<{ file: File; created: boolean }> {
  const values: Insertable<Files> = {
    organization_id: where.organizationId,
    id: where.newId,
    project_id: where.projectId,
    path: where.path,
    content_type: content.contentType,
    size_bytes: content.sizeBytes,
    sha256: content.sha256,
    source: content.source,
    object_key: content.objectKey,
    write_id: content.writeId,
  };
  const inserted = await db
    .insertInto('files')
    .values(values)
    .onConflict((conflict) => conflict.columns(['organization_id', 'project_id', 'path']).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted !== undefined) return { file: inserted, created: true };
  const before = await db
    .selectFrom('files')
    .selectAll()
    .where('organization_id', '=', where.organizationId)
    .where('project_id', '=', where.projectId)
    .where('path', '=', where.path)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (before.write_id === content.writeId) return { file: before, created: before.version === 1 };
  await deleteObjectLater(db, where.organizationId, before.object_key, readersGraceMs);
  const file = await db
    .updateTable('files')
    .set((update) => ({
      content_type: content.contentType,
      size_bytes: content.sizeBytes,
      sha256: content.sha256,
      source: content.source,
      object_key: content.objectKey,
      write_id: content.writeId,
      version: update('version', '+', 1),
      updated_at: new Date(),
    }))
    .where('organization_id', '=', where.organizationId)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { file, created: false };
}

export async function deleteFile(db: OrganizationTransaction, file: File): Promise<void> {
  await deleteObjectLater(db, file.organization_id, file.object_key, readersGraceMs);
  await db
    .deleteFrom('files')
    .where('organization_id', '=', file.organization_id)
    .where('id', '=', file.id)
    .execute();
}

export async function deleteObjectLater(
  db: OrganizationTransaction,
  organizationId: string,
  objectKey: string,
  afterMs: number,
): Promise<void> {
  await db
    .insertInto('object_deletions')
    .values({
      organization_id: organizationId,
      object_key: objectKey,
      not_before: new Date(Date.now() + afterMs),
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'object_key']).doNothing())
    .execute();
}

/** Something names the object now. */
export async function keepObject(
  db: OrganizationTransaction,
  organizationId: string,
  objectKey: string,
): Promise<void> {
  await db
    .deleteFrom('object_deletions')
    .where('organization_id', '=', organizationId)
    .where('object_key', '=', objectKey)
    .execute();
}

export async function insertUpload(
  db: OrganizationTransaction,
  upload: Insertable<FileUploads>,
): Promise<FileUpload> {
  await db
    .insertInto('file_uploads')
    .values(upload)
    .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
    .execute();
  return getUpload(db, upload.organization_id, upload.project_id, upload.id);
}

export async function getUpload(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
  lock = false,
): Promise<FileUpload> {
  let query = db
    .selectFrom('file_uploads')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('id', '=', id);
  if (lock) query = query.forUpdate();
  const upload = isId('upl', id) ? await query.executeTakeFirst() : undefined;
  if (upload === undefined) throw notFound('The upload');
  return upload;
}

export async function markFinalized(
  db: OrganizationTransaction,
  upload: FileUpload,
  fileId: string,
): Promise<void> {
  await db
    .updateTable('file_uploads')
    .set({ finalized_at: new Date(), file_id: fileId })
    .where('organization_id', '=', upload.organization_id)
    .where('id', '=', upload.id)
    .execute();
}
