import { type Insertable, sql } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, type RowLock, records, type Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';

export type File = RecordOf<'files'>;
export type FileUpload = RecordOf<'file_uploads'>;

/** How long the object of a replaced or deleted file is kept for current readers. */
const readersGraceMs = 24 * 3_600_000;

const files = records('files', { prefix: 'fil', what: 'The file' });
const uploads = records('file_uploads', { prefix: 'upl', what: 'The upload' });

export const { find: findFile } = files;

/** Newest first. */
export function listFiles(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  slice: Slice,
): Promise<File[]> {
  return files.list(db, organizationId, slice, { project_id: projectId });
}

/** The file with this id, within the project if one is given. */
export async function getFile(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  projectId?: string,
): Promise<File> {
  const file = await files.get(db, organizationId, id);
  if (projectId !== undefined && file.project_id !== projectId) throw notFound('The file');
  return file;
}

export function findFileByPath(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  path: string,
): Promise<File | undefined> {
  return inProject(db, organizationId, projectId).where('path', '=', path).executeTakeFirst();
}

/** Files whose path begins with the prefix, sorted by path. */
export function listFilesBelow(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  prefix: string,
  atMost: number,
): Promise<File[]> {
  return inProject(db, organizationId, projectId)
    .where((where) => where(sql`starts_with(path, ${prefix})`, '=', true))
    .orderBy('path')
    .limit(atMost)
    .execute();
}

function inProject(db: OrganizationTransaction, organizationId: string, projectId: string) {
  return db
    .selectFrom('files')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId);
}

export interface StoredContent {
  objectKey: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  source: 'write' | 'upload';
  /** Identifies the request that wrote it. */
  writeId: string;
}

/**
 * Points a path at newly stored content: a new file, or the next version of the existing one. The replaced
 * object is removed later. Repeating the same write changes nothing.
 */
export async function putFile(
  db: OrganizationTransaction,
  where: { organizationId: string; projectId: string; path: string; newId: string },
  content: StoredContent,
): Promise<{ file: File; created: boolean }> {
  const values: Insertable<DB['files']> = {
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
    // Of the path or of the id: a second attempt of the same write has both, and either may be found first.
    .onConflict((conflict) => conflict.doNothing())
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
  return { file: file, created: false };
}

export async function deleteFile(db: OrganizationTransaction, file: File): Promise<void> {
  await deleteObjectLater(db, file.organization_id, file.object_key, readersGraceMs);
  await files.remove(db, file.organization_id, file.id);
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

/** Cancels the removal of an object that is now referred to. */
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

export const { insert: insertUpload } = uploads;

export async function getUpload(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
  lock?: RowLock,
): Promise<FileUpload> {
  const upload = await uploads.get(db, organizationId, id, lock);
  if (upload.project_id !== projectId) throw notFound('The upload');
  return upload;
}

export async function markFinalized(
  db: OrganizationTransaction,
  upload: FileUpload,
  fileId: string,
): Promise<void> {
  const change = { finalized_at: new Date(), file_id: fileId };
  await uploads.update(db, upload.organization_id, upload.id, change);
}
