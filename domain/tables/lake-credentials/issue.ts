import { randomBytes } from 'node:crypto';
import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { makeReadingRole } from '../../../data/lake/reading-roles.ts';
import type { ObjectKeys } from '../../../data/objects/access-keys.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import {
  findCredential,
  getCredential,
  insertCredential,
  type LakeCredential,
  updateCredential,
} from './credentials.ts';

export interface CredentialDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  /** Undefined if the object store cannot make keys. */
  objectKeys: ObjectKeys | undefined;
}

export interface NewCredential {
  organizationId: string;
  id: string;
  name: string;
  expiresAt: Date | null;
  createdBy: string;
}

/** What a credential opens the lake with, known to nobody but its holder. */
export interface CredentialSecrets {
  /** Of the role named as the credential. */
  password: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Schema of the lake's catalog. */
  schema: string;
  /** `s3://bucket/lakes/<id>/` */
  dataPath: string;
}

/**
 * Makes a credential. If a repeated request finds it made already, it gets new secrets: nobody has seen the
 * first ones.
 *
 * @throws AppError conflict if the store makes no keys or there are too many; storage_unavailable
 */
export async function issueCredential(
  deps: CredentialDeps,
  asked: NewCredential,
): Promise<{ credential: LakeCredential; secrets: CredentialSecrets }> {
  const { organizationId, id, expiresAt } = asked;
  const { objectKeys } = deps;
  if (objectKeys === undefined)
    throw noCredentials(
      'the object store of this service cannot create keys that are limited to one lake. Ask the operator to set S3_IAM_ENDPOINT',
    );
  const { schema, reader } = await deps.lake.catalog.get(organizationId);
  const { dataPath } = reader;
  await inOrganization(deps.db, organizationId, (db) => record(db, asked));
  const password = randomBytes(24).toString('base64url');
  const role = { name: id, password, schema, reader: reader.catalog.user, expiresAt };
  await makeReadingRole(deps.lake.catalogPool, role);
  const key = await objectKeys.make(id, [new URL(dataPath).pathname.slice(1)]);
  const credential = await inOrganization(deps.db, organizationId, (db) =>
    markReady(db, asked, key.accessKeyId),
  );
  if (credential === undefined) throw ended();
  return { credential, secrets: { password, ...key, schema, dataPath } };
}

async function record(
  db: OrganizationTransaction,
  { organizationId, id, name, expiresAt, createdBy }: NewCredential,
): Promise<void> {
  await lockByName(db, `lake credentials of ${organizationId}`);
  const earlier = await findCredential(db, organizationId, id);
  if (earlier !== undefined) return refuseEnded(earlier);
  const { live } = await db
    .selectFrom('lake_credentials')
    .select((on) => on.fn.countAll<number>().as('live'))
    .where('organization_id', '=', organizationId)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.tables.lakeCredentials, Number(live));
  await insertCredential(db, {
    ...{ organization_id: organizationId, id, name, created_by: createdBy, expires_at: expiresAt },
  });
}

/** Undefined if it has ended meanwhile. */
async function markReady(
  db: OrganizationTransaction,
  { organizationId, id }: NewCredential,
  accessKeyId: string,
): Promise<LakeCredential | undefined> {
  const row = await getCredential(db, organizationId, id, 'update');
  const now = new Date();
  if (row.revoked_at === null && row.removed_at === null)
    return updateCredential(db, organizationId, id, { ready_at: now, access_key_id: accessKeyId });
  // What was made since is for the reconciler to remove.
  await updateCredential(db, organizationId, id, { removed_at: null, revoked_at: row.revoked_at ?? now });
  return undefined;
}

function refuseEnded(row: LakeCredential): void {
  if (row.revoked_at !== null || row.removed_at !== null) throw ended();
}

/** @param why ends a sentence */
export const noCredentials = (why: string) =>
  new AppError('conflict', `Lake credentials aren't available: ${why}.`);

const ended = () => new AppError('conflict', 'The lake credential has ended. Issue a new one.');
