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

/** A row as an attempt of its own has it: what the attempt does is done while the row still is its. */
export type BegunDelivery = Delivery & { attempt_id: string };

/** Another attempt has taken the delivery over, or it has ended. */
export class StaleAttemptError extends Error {
  override readonly name = 'StaleAttemptError';
}

/**
 * Between attempts of a mail. A server that is full, away or grey-lists takes it within the hour that they
 * come to, or there is something that somebody has to see to.
 */
const retryAfterMs = [15_000, 30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000, 900_000];
export const maxAttempts = retryAfterMs.length + 1;

/** How a row stands, in the words of an attempt. */
export function attemptOf(row: Delivery | undefined): DeliveryAttempt {
  // Its schedule was deleted, and it with it.
  if (row === undefined) return { status: 'failed' };
  const { status, attempts } = row;
  if (status === 'delivered' || status === 'failed' || status === 'uncertain') return { status };
  return { status: 'pending', retryAfterMs: retryAfterMs[Math.max(attempts, 1) - 1] ?? retryAfterMs.at(-1)! };
}

/**
 * The row, if there is anything to attempt. One that is found in `sending` is of an attempt that broke off,
 * or that is cut off from who asks: the other side may have it, whatever that attempt says later.
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
        'An attempt broke off when it had begun to send: the other side may have it. It is not sent again by itself.',
      ),
    });
    return { row: moved, isPending: false };
  });
}

/**
 * Counts an attempt and makes the row its own: one that began before has been overtaken. The first one of a
 * mail counts against what the organization may send.
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
  if (begun === undefined) throw new StaleAttemptError('The delivery is not pending any more.');
  return { ...begun, attempt_id: attemptId };
}

/** Moves a row that still is this attempt's. */
export async function moveOwn(
  db: OrganizationTransaction,
  begun: BegunDelivery,
  to: 'sending' | 'delivered',
  change: Change = {},
): Promise<void> {
  const now = await findDelivery(db, begun.organization_id, begun.id, 'update');
  const isOwn = now?.attempt_id === begun.attempt_id && now.status === 'pending';
  if (!isOwn || (await deliveryStates.move(db, now, 'pending', to, change)) === undefined)
    throw new StaleAttemptError('Another attempt has taken the delivery over.');
}

/** Of writing down what came out: only this attempt knows it. */
const writeAgainAfterMs = [200, 1_000, 5_000, 15_000, 30_000];

/** Writes down how an attempt came out, unless another has taken the row over meanwhile. */
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
