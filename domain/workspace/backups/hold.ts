import { sql } from 'kysely';
import type { Database } from '../../../data/postgres/client.ts';

/** How long a hold lasts unless it is renewed. */
const holdMinutes = 10;

/** Begins or renews the hold of a backup. */
export async function holdRemovals(db: Database, backupId: string): Promise<void> {
  await sql`
    INSERT INTO backup_holds (id, until) VALUES (${backupId}, now() + make_interval(mins => ${holdMinutes}))
    ON CONFLICT (id) DO UPDATE SET until = EXCLUDED.until`.execute(db);
}

export async function endHold(db: Database, backupId: string): Promise<void> {
  await sql`DELETE FROM backup_holds WHERE id = ${backupId} OR until < now()`.execute(db);
}

/** Whether a backup is copying, so that objects must stay although nothing refers to them any more. */
export async function areRemovalsHeld(db: Database): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    SELECT EXISTS (SELECT FROM backup_holds WHERE until > now()) AS held`.execute(db);
  return rows[0]?.held === true;
}
