import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { DataConnection } from './data-connections.ts';
import { ours } from './failure.ts';
import type { ReplicationLimits } from './replication-policy.ts';
import {
  type LimitedFor,
  noUsage,
  type RequestUsage,
  releasePermit,
  renewRequest,
  takeRequest,
} from './request-limits.ts';

/** Leave to send one request. */
export interface RequestLease {
  id: string;
  takenAt: number;
  /** How much of the answer may be read. */
  maxBytes: number;
}

export interface RequestWish {
  limits: ReplicationLimits;
  /** After so long without being renewed it counts as ended, whatever became of it. */
  leaseMs: number;
  maxBytes: number;
  /** With leave to read less it would be of no use. */
  minBytes: number;
  /** Done in the transaction that gives leave. */
  onTaken?: ((db: OrganizationTransaction) => Promise<void>) | undefined;
}

/**
 * Keeps to the limits of a connection's source, over all workers and their restarts: what was asked stands in
 * one row.
 */
export interface RequestGate {
  take(wish: RequestWish): Promise<RequestLease | LimitedFor>;
  /** The request is still under way: so that one whose worker was killed does not hold its place for long. */
  renew(lease: RequestLease, leaseMs: number): Promise<void>;
  /**
   * A request has ended: what it did not read is given back, and the source left alone for as long as it
   * asked.
   */
  release(lease: RequestLease, outcome: { readBytes: number; blockedForMs: number }): Promise<void>;
}

/** Waits between two tries to take leave; throws where that would take too long. */
export type PermitWait = (limited: LimitedFor) => Promise<void>;

/** Leave, as soon as the limits give it. */
export async function acquirePermit(
  gate: RequestGate,
  wish: RequestWish,
  wait: PermitWait,
): Promise<RequestLease> {
  for (;;) {
    const taken = await ours(gate.take(wish));
    if ('id' in taken) return taken;
    await wait(taken);
  }
}

/** Counts a redirect, which is a request too; it is part of one that is under way. */
export async function countRedirect(
  gate: RequestGate,
  { limits, onTaken }: Pick<RequestWish, 'limits' | 'onTaken'>,
  wait: PermitWait,
): Promise<void> {
  const { max_concurrency: _, ...others } = limits;
  const wish = { limits: others, leaseMs: 1_000, maxBytes: 0, minBytes: 0, onTaken };
  const lease = await acquirePermit(gate, wish, wait);
  await ours(gate.release(lease, { readBytes: 0, blockedForMs: 0 }));
}

export function createRequestGate(
  db: Database,
  { organization_id: organizationId, id }: Pick<DataConnection, 'organization_id' | 'id'>,
): RequestGate {
  /** Whoever changes the row does so alone, by PostgreSQL's clock. */
  function change<T>(
    work: (
      usage: RequestUsage,
      now: number,
      db: OrganizationTransaction,
    ) => Promise<{ usage: RequestUsage | undefined; result: T }>,
  ): Promise<T> {
    return inOrganization(db, organizationId, async (transaction) => {
      await transaction
        .insertInto('source_requests')
        .values({ organization_id: organizationId, connection_id: id, usage: JSON.stringify(noUsage) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await transaction
        .selectFrom('source_requests')
        .select('usage')
        .where('organization_id', '=', organizationId)
        .where('connection_id', '=', id)
        .forUpdate()
        .executeTakeFirstOrThrow();
      // Once it is its turn, which may be long after it came.
      const { rows } = await sql<{ now: number }>`
        SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`.execute(transaction);
      const { usage, result } = await work(row.usage as unknown as RequestUsage, rows[0]!.now, transaction);
      if (usage !== undefined)
        await transaction
          .updateTable('source_requests')
          .set({ usage: JSON.stringify(usage) })
          .where('organization_id', '=', organizationId)
          .where('connection_id', '=', id)
          .execute();
      return result;
    });
  }

  return {
    take: ({ limits, onTaken, ...wish }) =>
      change<RequestLease | LimitedFor>(async (usage, now, transaction) => {
        const leaseId = randomUUID();
        const taken = takeRequest(usage, limits, { id: leaseId, now, ...wish });
        if ('waitMs' in taken) return { usage: undefined, result: taken };
        await onTaken?.(transaction);
        return { usage: taken.usage, result: { id: leaseId, takenAt: now, maxBytes: taken.maxBytes } };
      }),
    renew: (lease, leaseMs) =>
      change(async (usage, now) => ({
        usage: renewRequest(usage, { id: lease.id, now, leaseMs }),
        result: undefined,
      })),
    release: ({ id: leaseId, takenAt, maxBytes }, { readBytes, blockedForMs }) =>
      change(async (usage, now) => {
        const unusedBytes = maxBytes - readBytes;
        const settled = releasePermit(usage, { id: leaseId, now, takenAt, unusedBytes, blockedForMs });
        return { usage: settled, result: undefined };
      }),
  };
}
