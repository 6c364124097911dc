import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../data/postgres/client.ts';
import { type IdempotencyKey, releaseKey } from '../../data/postgres/idempotency.ts';

type Outcome = 'no-effect' | 'unknown';

/** Beyond this number, a key is released only when its lease expires, as after a crash. */
const maxPending = 10_000;
const firstWaitMs = 250;
const longestWaitMs = 5_000;

/** Releases keys of requests without a stored answer, however long PostgreSQL is unavailable. */
export interface KeyReturns {
  /** Tries once; on failure, leaves it to `giveLater`. Never rejects. */
  give(key: IdempotencyKey, outcome: Outcome): Promise<void>;
  /** Retries in the background until the key's lease has expired. */
  giveLater(key: IdempotencyKey, outcome: Outcome): void;
}

export function createKeyReturns(db: Database, log: FastifyBaseLogger): KeyReturns {
  const pending = new Map<IdempotencyKey, Outcome>();
  let isTrying = false;

  /** One key at a time, so that a database that has just recovered does not get all of them at once. */
  async function tryPending(): Promise<void> {
    isTrying = true;
    let waitMs = firstWaitMs;
    for (const [key, outcome] of pending) {
      while (key.leaseUntil.getTime() > Date.now()) {
        await delay(waitMs, undefined, { ref: false });
        const isGiven = await releaseKey(db, key, outcome).then(
          () => true,
          () => false,
        );
        waitMs = isGiven ? 0 : Math.min(Math.max(waitMs, firstWaitMs) * 2, longestWaitMs);
        if (isGiven) break;
      }
      pending.delete(key);
    }
    isTrying = false;
  }

  function giveLater(key: IdempotencyKey, outcome: Outcome): void {
    if (pending.size >= maxPending) return;
    pending.set(key, outcome);
    if (!isTrying) void tryPending();
  }

  return {
    giveLater,
    async give(key, outcome) {
      try {
        await releaseKey(db, key, outcome);
      } catch (error) {
        log.warn({ err: error }, 'an idempotency key could not be given back at once');
        giveLater(key, outcome);
      }
    },
  };
}
