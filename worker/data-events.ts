import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { type DataEventDeps, startDataEventRuns } from '../domain/automation/workflows/starts/data-events.ts';

/** A window of a second, and this, are what a commit waits for its run. */
const everyMs = 500;
/**
 * An organization that cannot be looked at, because a store is away or too much is under way, is left alone
 * for so long.
 */
const restMs = 5_000;
/** Looked at in one round; those beyond it come in the next ones. */
const organizationsAtOnce = 2_000;
const lanes = 4;

/**
 * Looks for commits that set workflows off, for as long as the worker runs. Every worker does; what each of
 * them finds is the same run.
 */
export function startDataEvents(deps: DataEventDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const restsUntilMs = new Map<string, number>();

  async function round(): Promise<void> {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM data_event_organizations(${organizationsAtOnce}) AS id`.execute(deps.db);
    const nowMs = Date.now();
    for (const [id, untilMs] of restsUntilMs) if (untilMs <= nowMs) restsUntilMs.delete(id);
    const ids = rows.map(({ id }) => id).filter((id) => !restsUntilMs.has(id));
    const lane = async () => {
      for (let id = ids.shift(); id !== undefined && !signal.aborted; id = ids.shift()) await look(id);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async function look(organizationId: string): Promise<void> {
    try {
      await startDataEventRuns(deps, organizationId, Date.now());
    } catch (err) {
      restsUntilMs.set(organizationId, Date.now() + restMs);
      deps.logger.warn({ err, organizationId }, 'data events will be looked for again');
    }
  }

  const rounds = (async () => {
    while (!signal.aborted) {
      const isDone = await round().then(
        () => true,
        (err: unknown) => {
          deps.logger.warn({ err }, 'data events will be looked for again');
          return false;
        },
      );
      await wait(isDone ? everyMs : restMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await rounds;
    },
  };
}
