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
export interface RevivedRuns<Row> {
  /** The kind, in the plural: `exports`. */
  name: string;
  /** The function of the database that finds those under way: `active_exports`. */
  foundBy: string;
  process: Parameters<typeof closes>[0];
  /** The row of its own that it starts and ends by; nothing is done for a run that has none. */
  find(db: OrganizationTransaction, run: Run): Promise<Row | undefined>;
  /** The start of the next process. */
  start(db: OrganizationTransaction, row: Row, run: Run): ProcessStart | Promise<ProcessStart>;
  /**
   * Ends a run whose process was terminated by an operator; false if it must go on, because what it did can
   * no longer be undone.
   */
  end(row: Row, run: Run): Promise<boolean>;
  /** What is left to do for a run that has ended. Left out, its row has not: a process ends it. */
  afterEnd?(run: Run): Promise<unknown>;
  /** Repeats what a running process may have missed. */
  whileRunning?(row: Row, run: Run): Promise<unknown>;
}

/** For kinds whose run is all that they need. */
export const runItself = async (_: OrganizationTransaction, run: Run): Promise<Run> => run;

/** The process of a younger run may not have been started yet. */
const ageSeconds = 60;

/** Ends or restarts the runs of a kind whose process is gone. */
export function revivingStep<Row>(
  deps: ReviveDeps,
  kind: RevivedRuns<Row>,
  olderThanSeconds = ageSeconds,
): ReconcileStep {
  return rowsStep(kind.name, { db: deps.db, foundBy: kind.foundBy, olderThanSeconds }, (organizationId, id) =>
    revive(deps, kind, organizationId, id),
  );
}

async function revive<Row>(
  deps: ReviveDeps,
  kind: RevivedRuns<Row>,
  organizationId: string,
  runId: string,
): Promise<void> {
  const found = await inOrganization(deps.db, organizationId, async (db) => {
    const run = await findRun(db, organizationId, runId);
    const row = run && (await kind.find(db, run));
    return run && row && { run, row };
  });
  if (found === undefined) return;
  const { run, row } = found;
  const state = await deps.processes.stateOf(run.workflow_id);
  if (state === 'running') {
    await kind.whileRunning?.(row, run);
    return;
  }
  if (kind.afterEnd !== undefined && runStates.isEnd(run.status)) await kind.afterEnd(run);
  else if (closes(kind.process, state) && (await kind.end(row, run))) await notifyWaiter(deps, run);
  else {
    const start = await inOrganization(deps.db, organizationId, async (db) => kind.start(db, row, run));
    await deps.processes.restart(start);
  }
  deps.logger.info(
    { kind: kind.name, organizationId, runId, state },
    'reconciled a run whose process was gone',
  );
}
