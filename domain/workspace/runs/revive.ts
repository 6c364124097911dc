import type { Logger } from 'pino';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessStart } from '../../../data/postgres/process-starts.ts';
import { closes } from '../../../data/processes/define.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import { findRun, type Run, runStates } from './runs.ts';
import { notifyWaiter } from './waiter.ts';

export interface ReviveDeps extends ProcessDeps {
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** How the runs of one kind go on when their process is gone. */
export interface RevivedRuns {
  /** The kind, in the plural: `exports`. */
  name: string;
  /** The function of the database that finds those under way: `active_exports`. */
  foundBy: string;
  process: Parameters<typeof closes>[0];
  /** The start of the next process; undefined if there is nothing to do for the run any more. */
  start(db: OrganizationTransaction, run: Run): ProcessStart | undefined | Promise<ProcessStart | undefined>;
  /**
   * Ends a run whose process was terminated by an operator; false if it must go on, because what it did can
   * no longer be undone.
   */
  end(run: Run): Promise<boolean>;
  /** For kinds whose own row may outlive the run's end: what is left to do then, in place of a process. */
  afterEnd?(run: Run): Promise<unknown>;
  /** Repeats what a running process may have missed. */
  whileRunning?(run: Run): Promise<unknown>;
}

/** The process of a younger run may not have been started yet. */
const ageSeconds = 60;

/** Ends or restarts the runs of a kind whose process is gone. */
export function revivingStep(
  deps: ReviveDeps,
  kind: RevivedRuns,
  olderThanSeconds = ageSeconds,
): ReconcileStep {
  return rowsStep(kind.name, { db: deps.db, foundBy: kind.foundBy, olderThanSeconds }, (organizationId, id) =>
    revive(deps, kind, organizationId, id),
  );
}

async function revive(
  deps: ReviveDeps,
  kind: RevivedRuns,
  organizationId: string,
  runId: string,
): Promise<void> {
  const run = await inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, runId));
  if (run === undefined) return;
  const state = await deps.processes.stateOf(run.workflow_id);
  if (state === 'running') {
    await kind.whileRunning?.(run);
    return;
  }
  if (kind.afterEnd !== undefined && runStates.isEnd(run.status)) await kind.afterEnd(run);
  else if (closes(kind.process, state) && (await kind.end(run))) await notifyWaiter(deps, run);
  else {
    const start = await inOrganization(deps.db, organizationId, async (db) => kind.start(db, run));
    if (start === undefined) return;
    await deps.processes.restart(start);
  }
  deps.logger.info(
    { kind: kind.name, organizationId, runId, state },
    'reconciled a run whose process was gone',
  );
}
