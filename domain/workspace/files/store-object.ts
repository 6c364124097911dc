import { newId } from '../../../data/ids.ts';
import { fileKey } from '../../../data/objects/keys.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { actingAsService } from '../../../data/postgres/acting.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { deleteObjectLater, type File, keepObject } from './files.ts';

export interface StoreDeps {
  db: Database;
  objects: ObjectStore;
}

/** Longer than any request takes to store its object and refer to it. */
const unnamedMs = 3_600_000;

/**
 * Stores a new object under a unique key, then has a file refer to it. The object's removal is scheduled
 * before it is stored, and cancelled by the transaction that refers to it. After a crash at any point, an
 * object is therefore removed exactly if nothing refers to it.
 */
export async function storeObject<T extends { file: File }>(
  { db }: StoreDeps,
  organizationId: string,
  store: (objectKey: string) => Promise<void>,
  name: (db: OrganizationTransaction, objectKey: string) => Promise<T>,
): Promise<T> {
  const objectKey = fileKey(organizationId, newId('fil'));
  // Nobody's change yet: the audit would record it as one of a file that is not known here.
  await actingAsService(() =>
    inOrganization(db, organizationId, (transaction) =>
      deleteObjectLater(transaction, organizationId, objectKey, unnamedMs),
    ),
  );
  await store(objectKey);
  return inOrganization(db, organizationId, async (transaction) => {
    const named = await name(transaction, objectKey);
    if (named.file.object_key === objectKey) await keepObject(transaction, organizationId, objectKey);
    return named;
  });
}
