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

/** Permit to send one request. */
export interface RequestLease {
  id: string;
  takenAt: number;
  /** Maximum bytes of the answer that may be read. */
  maxBytes: number;
}

export interface PermitRequest {
  limits: ReplicationLimits;
  /** The permit expires if it is not renewed within this time. */
  leaseMs: number;
  maxBytes: number;
  /** The request is not worth sending with fewer bytes than this. */
  minBytes: number;
  /** Runs in the transaction that grants the permit. */
  onTaken?: ((db: OrganizationTransaction) => Promise<void>) | undefined;
}

/**
 * Enforces the limits of a connection's source across all workers and restarts: usage is stored in one row.
 */
export interface RequestGate {
  take(asked: PermitRequest): Promise<RequestLease | LimitedFor>;
  /**
   * Extends the lease of a running request. Leases are short so that a killed worker's request frees its slot
   * soon.
   */
  renew(lease: RequestLease, leaseMs: number): Promise<void>;
  /** Ends a request: returns unread bytes to the limit, and blocks the source for as long as it asked. */
  release(lease: RequestLease, outcome: { readBytes: number; blockedForMs: number }): Promise<void>;
}

/** Waits between attempts to get a permit; throws if the wait would be too long. */
export type PermitWait = (limited: LimitedFor) => Promise<void>;

/** Waits until the limits grant a permit. */
export async function acquirePermit(
  gate: RequestGate,
  asked: PermitRequest,
  wait: PermitWait,
): Promise<RequestLease> {
  for (;;) {
    const taken = await ours(gate.take(asked));
    if ('id' in taken) return taken;
    await wait(taken);
  }
}

/**
 * Counts a redirect, which is a request of its own; it takes no concurrency slot, since its request has one.
 */
export async function countRedirect(
  gate: RequestGate,
  { limits, onTaken }: Pick<PermitRequest, 'limits' | 'onTaken'>,
  wait: PermitWait,
): Promise<void> {
  const { max_concurrency: _, ...others } = limits;
  const asked = { limits: others, leaseMs: 1_000, maxBytes: 0, minBytes: 0, onTaken };
  const lease = await acquirePermit(gate, asked, wait);
  await ours(gate.release(lease, { readBytes: 0, blockedForMs: 0 }));
}

export function createRequestGate(
  db: Database,
  { organization_id: organizationId, id }: Pick<DataConnection, 'organization_id' | 'id'>,
): RequestGate {
  /** Changes the row under its lock, by PostgreSQL's clock. */
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
      // Read after the lock is granted, which may be long after the call.
      const { rows } = await sql<{ now: number }>`
        SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`.execute(transaction);
      const { usage, result } = await work(row.usage, rows[0]!.now, transaction);
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
    take: ({ limits, onTaken, ...asked }) =>
      change<RequestLease | LimitedFor>(async (usage, now, transaction) => {
        const leaseId = randomUUID();
        const taken = takeRequest(usage, limits, { id: leaseId, now, ...asked });
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
