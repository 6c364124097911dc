import { sql } from 'kysely';
import type { Logger } from 'pino';
import { inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../../../data/reconciling/step.ts';
import { type DefinedRunKind, findRunAndRow } from './kind.ts';
import { type Run, runStates } from './runs.ts';
import { notifyWaiter } from './waiter.ts';

export interface ReviveDeps extends ProcessDeps {
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** What becomes of a run whose process is gone. */
export interface Revival<Row> {
  /**
   * Ends a run whose process was terminated by an operator; false if it must go on, because what it did can
   * no longer be undone.
   */
  end(row: Row, run: Run): Promise<boolean>;
  /** Repeats what a running process may have missed. */
  whileRunning?(row: Row, run: Run): Promise<unknown>;
}

/** The process of a younger run may not have been started yet, nor that of one just ended have gone. */
export const ageSeconds = 60;

/** Ends or restarts the runs of a kind whose process is gone. */
export function revivingStep<Row>(
  deps: ReviveDeps,
  kind: DefinedRunKind<Row>,
  revival: Revival<Row>,
  olderThanSeconds = ageSeconds,
): ReconcileStep {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id
      FROM unfinished_runs(${[...kind.kinds]}, make_interval(secs => ${olderThanSeconds}), ${itemsAtOnce})
    `.execute(deps.db);
    return rows;
  };
  return itemsStep(kind.name, find, (found) => revive(deps, kind, revival, found));
}

async function revive<Row>(
  deps: ReviveDeps,
  kind: DefinedRunKind<Row>,
  revival: Revival<Row>,
  { organization_id: organizationId, id: runId }: { organization_id: string; id: string },
): Promise<void> {
  const found = await inOrganization(deps.db, organizationId, (db) =>
    findRunAndRow(db, kind, organizationId, runId),
  );
  // It may have ended since it was found.
  if (found === undefined || runStates.isEnd(found.run.status)) return;
  const { run, row } = found;
  const state = await deps.processes.stateOf(run.workflow_id);
  if (state === 'running') {
    await revival.whileRunning?.(row, run);
    return;
  }
  if (closes(kind.process, state) && (await revival.end(row, run))) await notifyWaiter(deps, run);
  else {
    const start = await inOrganization(deps.db, organizationId, (db) => kind.startOf(db, row, run));
    await deps.processes.restart(start);
  }
  deps.logger.info(
    { kind: kind.name, organizationId, runId, state },
    'reconciled a run whose process was gone',
  );
}
