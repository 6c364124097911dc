import { setTimeout as delay } from 'node:timers/promises';
import type { Updateable } from 'kysely';
import { isRetryable } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import type { DeliveryAttempt } from '../../../workflows/publishing/delivery/contract.ts';
import { type Delivery, deliveryStates, findDelivery, updateDelivery } from './deliveries.ts';
import { countMail } from './mail-count.ts';

type Deps = { db: Database };
type Change = Updateable<DB['deliveries']>;

/** A row owned by an attempt; the attempt may act only while the row is still its own. */
export type BegunDelivery = Delivery & { attempt_id: string };

/** Another attempt has taken over the delivery, or it has ended. */
export class StaleAttemptError extends Error {
  override readonly name = 'StaleAttemptError';
}

/**
 * Delays between attempts of a mail. A server that is full, down or greylisting usually accepts it within
 * their sum of about an hour; otherwise the problem needs a person.
 */
const retryAfterMs = [15_000, 30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000];
export const maxAttempts = retryAfterMs.length + 1;

/** The state of a row as the result of an attempt. */
export function attemptOf(row: Delivery | undefined): DeliveryAttempt {
  // It was deleted together with its schedule.
  if (row === undefined) return { status: 'failed' };
  const { status, attempts } = row;
  if (status === 'delivered' || status === 'failed' || status === 'uncertain') return { status };
  return { status: 'pending', retryAfterMs: retryAfterMs[Math.max(attempts, 1) - 1] ?? retryAfterMs.at(-1)! };
}

/**
 * The row, if there is anything to attempt. A row found in `sending` belongs to an attempt that broke off or
 * is cut off from this process: the destination may have it, whatever that attempt reports later.
 */
export function findPending(
  { db }: Deps,
  organizationId: string,
  id: string,
): Promise<{ row: Delivery | undefined; isPending: boolean }> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await findDelivery(transaction, organizationId, id, 'update');
    if (row?.status !== 'sending') return { row, isPending: row?.status === 'pending' };
    const moved = await deliveryStates.move(transaction, row, 'sending', 'uncertain', {
      error: errorOf(
        'delivery_uncertain',
        "An attempt broke off after it began to send, so the receiver may have the delivery. The service doesn't send it again automatically.",
      ),
    });
    return { row: moved, isPending: false };
  });
}

/**
 * Counts an attempt and makes it the owner of the row, which makes earlier attempts stale. The first attempt
 * of a mail counts against the organization's limit.
 */
export async function beginAttempt(
  { db }: Deps,
  row: Delivery,
  mailsPerDay?: number,
): Promise<BegunDelivery> {
  const attemptId = newId('req');
  const begun = await inOrganization(db, row.organization_id, async (transaction) => {
    const own = await transaction
      .updateTable('deliveries')
      .set((update) => ({ attempts: update('attempts', '+', 1), attempt_id: attemptId }))
      .where('organization_id', '=', row.organization_id)
      .where('id', '=', row.id)
      .where('status', '=', 'pending')
      .returningAll()
      .executeTakeFirst();
    if (own?.attempts === 1 && mailsPerDay !== undefined)
      await countMail(transaction, row.organization_id, mailsPerDay);
    return own;
  });
  if (begun === undefined) throw new StaleAttemptError('The delivery is no longer pending.');
  return { ...begun, attempt_id: attemptId };
}

/** Moves a row that this attempt still owns. */
export async function moveOwn(
  db: OrganizationTransaction,
  begun: BegunDelivery,
  to: 'sending' | 'delivered',
  change: Change = {},
): Promise<void> {
  const now = await findDelivery(db, begun.organization_id, begun.id, 'update');
  const isOwn = now?.attempt_id === begun.attempt_id && now.status === 'pending';
  if (!isOwn || (await deliveryStates.move(db, now, 'pending', to, change)) === undefined)
    throw new StaleAttemptError('Another attempt has taken over the delivery.');
}

/** Delays between retries of recording the outcome, which only this attempt knows. */
const writeAgainAfterMs = [200, 1_000, 5_000, 15_000, 30_000];

/** Records the outcome of an attempt, unless another has taken over the row. */
export async function conclude(
  { db }: Deps,
  begun: BegunDelivery,
  to: Exclude<Delivery['status'], 'sending'>,
  change: Change = {},
): Promise<DeliveryAttempt> {
  const write = () =>
    inOrganization(db, begun.organization_id, async (transaction) => {
      const now = await findDelivery(transaction, begun.organization_id, begun.id, 'update');
      if (now?.attempt_id !== begun.attempt_id || deliveryStates.isEnd(now.status)) return attemptOf(now);
      if (now.status !== to)
        return attemptOf(await deliveryStates.move(transaction, now, now.status, to, change));
      if (Object.keys(change).length > 0)
        await updateDelivery(transaction, now.organization_id, now.id, change);
      return attemptOf(now);
    });
  for (const waitMs of writeAgainAfterMs) {
    try {
      return await write();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await delay(waitMs);
    }
  }
  return write();
}

export function errorOf(code: string, message: string): string {
  return JSON.stringify({ code, message });
}
