import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import type { Database } from '../postgres/client.ts';
import type { ReconcileStep } from './step.ts';

/** A try that takes longer is given up here, and is anybody's again. */
const defaultClaimSeconds = 60;
const firstWaitSeconds = 10;
const longestWaitSeconds = 600;
/** Items of a step that are tried at once: one that hangs until its time is up keeps no other waiting. */
const lanes = 4;

interface RunDeps {
  db: Database;
  logger: Pick<Logger, 'warn'>;
}

/** Who holds an item: another who took it up since has another claim. */
interface Claim {
  step: string;
  item: string;
  attempts: number;
  until: Date;
}

/**
 * Takes a step's items, a few at once. An item that fails is logged and waits, longer each time; one that
 * another worker has or had a moment ago, or that waits, is passed over. No item keeps another waiting.
 */
export async function runStep(
  deps: RunDeps,
  step: ReconcileStep,
  claimSeconds = defaultClaimSeconds,
): Promise<void> {
  const items = [...(await step.find())];
  const next = async () => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) {
      const claim = await take(deps.db, step.name, item.key, claimSeconds);
      if (claim === undefined) continue;
      try {
        await inTime(item.work(), claimSeconds);
        await rest(deps.db, { ...claim, attempts: 0 }, firstWaitSeconds - 1);
      } catch (err) {
        const { attempts } = claim;
        deps.logger.warn(
          { err, step: step.name, item: item.key, attempts },
          'reconciliation will be tried again',
        );
        await rest(
          deps.db,
          isAway(err) ? { ...claim, attempts: attempts - 1 } : claim,
          waitAfter(err, attempts),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, next));
}

/** What works on after its time does so beside whoever takes the item up: work can be repeated. */
async function inTime(work: Promise<unknown>, seconds: number): Promise<void> {
  const timer = new AbortController();
  const late = wait(seconds * 1_000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`It took longer than ${seconds} s.`);
  });
  // Whichever comes second is nobody's business any more.
  work.catch(() => undefined);
  late.catch(() => undefined);
  await Promise.race([work, late]).finally(() => timer.abort());
}

/** A store that is away says nothing about the item: as soon as it is back, so is the item. */
const isAway = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === 'workflows_unavailable' || error.code === 'storage_unavailable');

/** Twice as long each time, to ten minutes. */
function waitAfter(error: unknown, attempts: number): number {
  if (isAway(error)) return firstWaitSeconds;
  return Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** Math.min(attempts - 1, 10));
}

/** Undefined where somebody else has it, or its time has not come. */
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

/** Lets go of an item until its next try, unless somebody else has taken it up. */
async function rest(db: Database, { step, item, attempts, until }: Claim, seconds: number): Promise<void> {
  await sql`
    UPDATE reconcile_tries SET attempts = ${attempts}, next_try_at = now() + make_interval(secs => ${seconds})
    WHERE step = ${step} AND item = ${item} AND next_try_at = ${until}`.execute(db);
}

/** Forgets tries of things that nobody finds any more. */
export async function purgeTries(db: Database): Promise<void> {
  await sql`DELETE FROM reconcile_tries WHERE next_try_at < now() - interval '1 hour'`.execute(db);
}
