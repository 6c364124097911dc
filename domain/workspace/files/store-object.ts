import { newId } from '../../../data/ids.ts';
import { fileKey } from '../../../data/objects/keys.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
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

/** Longer than any request takes to store its object and to name it. */
const unnamedMs = 3_600_000;

/**
 * Stores a new object under a key of its own, then has a file name it. Before there is anything to lose, the
 * object is put down for removal; the transaction that names it takes that back. So one that nobody names is
 * removed, whatever dies in between, and one that is named is not.
 */
export async function storeObject<T extends { file: File }>(
  { db }: StoreDeps,
  organizationId: string,
  store: (objectKey: string) => Promise<void>,
  name: (db: OrganizationTransaction, objectKey: string) => Promise<T>,
): Promise<T> {
  const objectKey = fileKey(organizationId, newId('fil'));
  await inOrganization(db, organizationId, (transaction) =>
    deleteObjectLater(transaction, organizationId, objectKey, unnamedMs),
  );
  await store(objectKey);
  return inOrganization(db, organizationId, async (transaction) => {
    const named = await name(transaction, objectKey);
    if (named.file.object_key === objectKey) await keepObject(transaction, organizationId, objectKey);
    return named;
  });
}
