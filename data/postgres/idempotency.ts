import { randomInt } from 'node:crypto';
import type { Cipher } from '../encryption.ts';
import { type Database, inOrganization } from './client.ts';

export interface IdempotencyKey {
  organizationId: string;
  callerId: string;
  key: string;
  /**
   * Distinguishes this request's claim from a later one: only the request that holds the key may store or
   * release it.
   */
  leaseUntil: Date;
}

export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The state of a key when a request arrives with it. */
export type Claim =
  | { state: 'ours'; createdAt: Date }
  | { state: 'running' }
  | { state: 'other-request' }
  | { state: 'answered'; answer: KeptAnswer };

/** A request that has not answered after this long is abandoned; its retry may run. */
const leaseSeconds = 150;
/** A request that has not renewed its key for this long is assumed to have died with its process. */
const aliveSeconds = 10;
/** How often a running request renews its key. */
export const renewEveryMs = 3_000;

const aliveUntil = () => new Date(Date.now() + aliveSeconds * 1_000);

/** A lease with a random addition, so that two claims made at the same time differ. */
export function newLease(): Date {
  return new Date(Date.now() + leaseSeconds * 1_000 + randomInt(1_000));
}

/** Claims the key for this request, or returns what it already stands for. */
export async function claimKey(
  db: Database,
  cipher: Cipher,
  id: IdempotencyKey,
  requestHash: Buffer,
): Promise<Claim> {
  return inOrganization(db, id.organizationId, async (transaction) => {
    const inserted = await transaction
      .insertInto('idempotency_keys')
      .values({
        organization_id: id.organizationId,
        caller_id: id.callerId,
        key: id.key,
        request_hash: requestHash,
        lease_until: id.leaseUntil,
        alive_until: aliveUntil(),
      })
      .onConflict((conflict) => conflict.columns(['organization_id', 'caller_id', 'key']).doNothing())
      .returning('created_at')
      .executeTakeFirst();
    if (inserted !== undefined) return { state: 'ours', createdAt: inserted.created_at };
    const row = await transaction
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('organization_id', '=', id.organizationId)
      .where('caller_id', '=', id.callerId)
      .where('key', '=', id.key)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return { state: 'running' };
    const expired = row.expires_at.getTime() <= Date.now();
    if (!expired && !row.request_hash.equals(requestHash)) return { state: 'other-request' };
    if (!expired && row.response_status !== null && row.response !== null) {
      const kept = JSON.parse(cipher.open(row.response).toString()) as Omit<KeptAnswer, 'status'>;
      return { state: 'answered', answer: { status: row.response_status, ...kept } };
    }
    const isRunning = Math.min(row.lease_until.getTime(), row.alive_until.getTime()) > Date.now();
    if (!expired && isRunning) return { state: 'running' };
    // The earlier request died, or the key expired. A dead request's creation time is kept, because ids are
    // derived from it.
    const taken = await transaction
      .updateTable('idempotency_keys')
      .set({
        lease_until: id.leaseUntil,
        alive_until: aliveUntil(),
        request_hash: requestHash,
        response: null,
        response_status: null,
        ...(expired ? { created_at: new Date(), expires_at: new Date(Date.now() + 86_400_000) } : {}),
      })
      .where('organization_id', '=', id.organizationId)
      .where('caller_id', '=', id.callerId)
      .where('key', '=', id.key)
      .returning('created_at')
      .executeTakeFirstOrThrow();
    return { state: 'ours', createdAt: taken.created_at };
  });
}

/** Records that the request behind the key is still running. */
export async function renewKey(db: Database, id: IdempotencyKey): Promise<void> {
  await inOrganization(db, id.organizationId, (transaction) =>
    transaction
      .updateTable('idempotency_keys')
      .set({ alive_until: aliveUntil() })
      .where('organization_id', '=', id.organizationId)
      .where('caller_id', '=', id.callerId)
      .where('key', '=', id.key)
      .where('lease_until', '=', id.leaseUntil)
      .execute(),
  );
}

/** Stores a 2xx answer for retries within 24 hours. */
export async function keepAnswer(
  db: Database,
  cipher: Cipher,
  id: IdempotencyKey,
  answer: KeptAnswer,
): Promise<void> {
  const { status, ...rest } = answer;
  await inOrganization(db, id.organizationId, (transaction) =>
    transaction
      .updateTable('idempotency_keys')
      .set({ response_status: status, response: cipher.seal(JSON.stringify(rest)) })
      .where('organization_id', '=', id.organizationId)
      .where('caller_id', '=', id.callerId)
      .where('key', '=', id.key)
      .where('lease_until', '=', id.leaseUntil)
      .execute(),
  );
}

/**
 * Releases the key after an error. A client error had no effect, so the key is deleted. After a server error
 * the outcome may be unknown, so the key stays with its creation time: a retry derives the same ids and finds
 * what was created.
 */
export async function releaseKey(
  db: Database,
  id: IdempotencyKey,
  outcome: 'no-effect' | 'unknown',
): Promise<void> {
  await inOrganization(db, id.organizationId, async (transaction) => {
    const row = transaction
      .updateTable('idempotency_keys')
      .set({ lease_until: new Date(0) })
      .where('organization_id', '=', id.organizationId)
      .where('caller_id', '=', id.callerId)
      .where('key', '=', id.key)
      .where('lease_until', '=', id.leaseUntil)
      .where('response_status', 'is', null);
    if (outcome === 'unknown') return row.execute();
    return transaction
      .deleteFrom('idempotency_keys')
      .where('organization_id', '=', id.organizationId)
      .where('caller_id', '=', id.callerId)
      .where('key', '=', id.key)
      .where('lease_until', '=', id.leaseUntil)
      .where('response_status', 'is', null)
      .execute();
  });
}
