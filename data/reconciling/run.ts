import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../postgres/client.ts';
import type { ReconcileStep } from './step.ts';

/** A try that takes longer is taken up by somebody else: its worker is gone, or both do the same. */
const claimedForSeconds = 60;
const firstWaitSeconds = 10;
const longestWaitSeconds = 600;

interface RunDeps {
  db: Database;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Takes a step's items, a few at once. An item that fails is logged and waits, longer each time; one that another
 * worker has, or that waits, is passed over. No item keeps another waiting.
 */
export async function runStep(deps: RunDeps, step: ReconcileStep): Promise<void> {
  const items = [...(await step.find())];
  const next = async () => {
    for (let item = items.shift(); item !== undefined; item = items.shift()) {
      const attempts = await claim(deps.db, step.name, item.key);
      if (attempts === undefined) continue;
      try {
        await item.work();
        await forget(deps.db, step.name, item.key);
      } catch (err) {
        deps.logger.warn(
          { err, step: step.name, item: item.key, attempts },
          'reconciliation will be tried again',
        );
        await putOff(deps.db, step.name, item.key);
      }
    }
  };
  await Promise.all([next(), next()]);
}

/** How often it was tried, this time included; undefined where somebody else has it, or its time has not come. */
async function claim(db: Database, step: string, item: string): Promise<number | undefined> {
  const { rows } = await sql<{ attempts: number }>`
    INSERT INTO reconcile_tries AS tries (step, item, next_try_at)
    VALUES (${step}, ${item}, now() + make_interval(secs => ${claimedForSeconds}))
    ON CONFLICT (step, item) DO UPDATE SET attempts = tries.attempts + 1, next_try_at = EXCLUDED.next_try_at
      WHERE tries.next_try_at <= now()
    RETURNING attempts`.execute(db);
  return rows[0]?.attempts;
}

async function forget(db: Database, step: string, item: string): Promise<void> {
  await sql`DELETE FROM reconcile_tries WHERE step = ${step} AND item = ${item}`.execute(db);
}

/** Twice as long each time, to ten minutes. */
async function putOff(db: Database, step: string, item: string): Promise<void> {
  await sql`
    UPDATE reconcile_tries SET next_try_at = now() + make_interval(secs =>
      least(${longestWaitSeconds}::double precision, ${firstWaitSeconds} * 2 ^ least(attempts - 1, 10)))
    WHERE step = ${step} AND item = ${item}`.execute(db);
}

/** Forgets tries of things that nobody finds any more. */
export async function purgeTries(db: Database): Promise<void> {
  await sql`DELETE FROM reconcile_tries WHERE next_try_at < now() - interval '1 day'`.execute(db);
}
