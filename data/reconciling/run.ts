import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import pMap from 'p-map';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import type { Database } from '../postgres/client.ts';
import { counter } from '../telemetry/instruments.ts';
import type { ReconcileItem, ReconcileStep } from './step.ts';

/** An attempt that takes longer is abandoned here, and any worker may claim the item again. */
const defaultClaimSeconds = 60;
const firstWaitSeconds = 10;
const longestWaitSeconds = 600;
/**
 * Items of a step worked on concurrently, so that one that hangs until its timeout does not block the others.
 */
const lanes = 4;

interface RunDeps {
  db: Database;
  logger: Pick<Logger, 'warn'>;
}

const repairs = counter(
  'workspace.reconciler.items',
  '{item}',
  'Items that the reconciler worked on, by step and outcome: repaired, away or failed.',
);

/** The current claim on an item; a worker that takes the item over has a different claim. */
interface Claim {
  step: string;
  item: string;
  attempts: number;
  until: Date;
}

/**
 * Works through a step's items, a few at a time. An item that fails is logged and retried after a growing
 * delay. An item that another worker holds or has just finished, or that is waiting, is skipped. No item
 * blocks another.
 */
export async function runStep(
  deps: RunDeps,
  step: ReconcileStep,
  claimSeconds = defaultClaimSeconds,
): Promise<void> {
  const workOn = async (item: ReconcileItem) => {
    const claim = await take(deps.db, step.name, item.key, claimSeconds);
    if (claim === undefined) return;
    try {
      await inTime(item.work(), claimSeconds);
      repairs.add(1, { step: step.name, outcome: 'repaired' });
      await rest(deps.db, { ...claim, attempts: 0 }, firstWaitSeconds - 1);
    } catch (err) {
      const { attempts } = claim;
      repairs.add(1, { step: step.name, outcome: isUnavailable(err) ? 'away' : 'failed' });
      deps.logger.warn(
        { err, step: step.name, item: item.key, attempts },
        'reconciliation will be tried again',
      );
      await rest(
        deps.db,
        isUnavailable(err) ? { ...claim, attempts: attempts - 1 } : claim,
        waitAfter(err, attempts),
      );
    }
  };
  await pMap(await step.find(), workOn, { concurrency: lanes });
}

/**
 * Work that exceeds its time continues concurrently with the next claim; that is safe because work can be
 * repeated.
 */
async function inTime(work: Promise<unknown>, seconds: number): Promise<void> {
  const timer = new AbortController();
  const late = wait(seconds * 1_000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`It took longer than ${seconds} s.`);
  });
  // The later of the two results is ignored.
  work.catch(() => undefined);
  late.catch(() => undefined);
  await Promise.race([work, late]).finally(() => timer.abort());
}

/** An unavailable store is not the item's fault: the item is retried as soon as the store is back. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === 'workflows_unavailable' || error.code === 'storage_unavailable');

/** Doubles the delay each time, up to ten minutes. */
function waitAfter(error: unknown, attempts: number): number {
  if (isUnavailable(error)) return firstWaitSeconds;
  return Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** Math.min(attempts - 1, 10));
}

/** Claims an item; undefined if another worker holds it or it is not due. */
async function take(db: Database, step: string, item: string, seconds: number): Promise<Claim | undefined> {
  const { rows } = await sql<{ attempts: number; next_try_at: Date }>`
    INSERT INTO reconcile_tries AS tries (step, item, next_try_at)
    VALUES (${step}, ${item}, now() + make_interval(secs => ${seconds}))
    ON CONFLICT (step, item) DO UPDATE SET attempts = tries.attempts + 1, next_try_at = EXCLUDED.next_try_at
      WHERE tries.next_try_at <= now()
    RETURNING attempts, next_try_at`.execute(db);
  const [row] = rows;
  return row && { step, item, attempts: row.attempts, until: row.next_try_at };
}

/** Releases an item until its next attempt, unless another worker has claimed it. */
async function rest(db: Database, { step, item, attempts, until }: Claim, seconds: number): Promise<void> {
  await sql`
    UPDATE reconcile_tries SET attempts = ${attempts}, next_try_at = now() + make_interval(secs => ${seconds})
    WHERE step = ${step} AND item = ${item} AND next_try_at = ${until}`.execute(db);
}

/** Deletes attempts of items that are no longer found. */
export async function purgeTries(db: Database): Promise<void> {
  await sql`DELETE FROM reconcile_tries WHERE next_try_at < now() - interval '1 hour'`.execute(db);
}
