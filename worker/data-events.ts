import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import pMap from 'p-map';
import { type DataEventDeps, startDataEventRuns } from '../domain/automation/workflows/starts/data-events.ts';
import { type OnChangeDeps, startDueBuilds } from '../domain/tables/calculated-tables/on-change.ts';
import { startDueVerifications } from '../domain/tables/verification/on-version.ts';
import { isAutomationPaused } from '../domain/workspace/pause/pause.ts';

/** Polling interval. The run of a commit is delayed by at most the trigger's window plus this. */
const everyMs = 500;
/**
 * How long an organization is skipped after a failure, for example because a store is unavailable or
 * overloaded.
 */
const restMs = 5_000;
/** Organizations checked per round; the others follow in the next rounds. */
const organizationsAtOnce = 2_000;
const lanes = 4;

type Deps = DataEventDeps & OnChangeDeps;

/** What is looked for in the lakes of organizations that have some of it. */
interface Watch {
  organizations: (db: Deps['db']) => Promise<string[]>;
  look: (deps: Deps, organizationId: string, nowMs: number) => Promise<void>;
}

const watches: readonly Watch[] = [
  {
    organizations: async (db) => {
      if (await isAutomationPaused(db)) return [];
      const { rows } = await sql<{ id: string }>`
        SELECT id FROM data_event_organizations(${organizationsAtOnce}) AS id`.execute(db);
      return rows.map(({ id }) => id);
    },
    look: startDataEventRuns,
  },
  {
    organizations: async (db) =>
      (
        await sql<{ id: string }>`
          SELECT id FROM on_change_organizations(${organizationsAtOnce}) AS id`.execute(db)
      ).rows.map(({ id }) => id),
    look: startDueBuilds,
  },
  {
    organizations: async (db) =>
      (
        await sql<{ id: string }>`
          SELECT id FROM verification_organizations(${organizationsAtOnce}) AS id`.execute(db)
      ).rows.map(({ id }) => id),
    look: startDueVerifications,
  },
];

/**
 * Starts runs for commits that trigger workflows or make calculated tables stale, as long as the worker runs.
 * Every worker does this; their runs have the same ids.
 */
export function startDataEvents(deps: Deps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const restsUntilMs = new Map<string, number>();

  async function round(): Promise<void> {
    const nowMs = Date.now();
    for (const [id, untilMs] of restsUntilMs) if (untilMs <= nowMs) restsUntilMs.delete(id);
    for (const watch of watches) {
      const ids = (await watch.organizations(deps.db)).filter((id) => !restsUntilMs.has(id));
      await pMap(ids, (id) => (signal.aborted ? undefined : look(watch, id)), { concurrency: lanes });
    }
  }

  async function look(watch: Watch, organizationId: string): Promise<void> {
    try {
      await watch.look(deps, organizationId, Date.now());
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
