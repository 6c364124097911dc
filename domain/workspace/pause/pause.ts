import { sql } from 'kysely';
import type { Database } from '../../../data/postgres/client.ts';
import type { ReconcileStep } from '../../../data/reconciling/step.ts';

export interface AutomationState {
  pausedAt: Date | null;
  resumedAt: Date | null;
}

/** Names the database and the bucket: a copy of either is another place. */
export function placeOf(
  databaseUrl: string,
  { endpoint, bucket }: { endpoint: string | undefined; bucket: string },
): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname} ${endpoint ?? 'Amazon S3'}/${bucket}`;
}

/** Whether schedules, triggers and deliveries wait for an operator. */
export async function isAutomationPaused(db: Database): Promise<boolean> {
  return (await automationState(db)).pausedAt !== null;
}

export async function automationState(db: Database): Promise<AutomationState> {
  const { rows } = await sql<{ paused_at: Date | null; resumed_at: Date | null }>`
    SELECT paused_at, resumed_at FROM automation_pause`.execute(db);
  return { pausedAt: rows[0]?.paused_at ?? null, resumedAt: rows[0]?.resumed_at ?? null };
}

/** A repeated call changes nothing. */
export async function pauseAutomation(db: Database): Promise<void> {
  await sql`UPDATE automation_pause SET paused_at = coalesce(paused_at, now())`.execute(db);
}

/** Pauses a database that was not resumed in this place. */
export async function pauseWhereNotResumed(db: Database, place: string): Promise<void> {
  await sql`
    UPDATE automation_pause SET paused_at = coalesce(paused_at, now())
    WHERE resumed_at IS NULL OR place IS DISTINCT FROM ${place}`.execute(db);
}

/** A repeated call changes nothing. */
export async function resumeAutomation(db: Database, place: string): Promise<void> {
  await sql`
    UPDATE automation_pause SET paused_at = NULL, resumed_at = now(), place = ${place}
    WHERE paused_at IS NOT NULL OR place IS DISTINCT FROM ${place}`.execute(db);
}

/** The steps that find nothing to repair while automation is paused. */
export function unlessPaused(db: Database, steps: readonly ReconcileStep[]): ReconcileStep[] {
  return steps.map((step) => ({
    ...step,
    find: async () => ((await isAutomationPaused(db)) ? [] : step.find()),
  }));
}
