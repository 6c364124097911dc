import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type ProcessProblem, problemsOf } from '../../../data/processes/failing.ts';
import { withoutHiddenTables } from './hidden-tables.ts';
import { getRun, listRuns, type Run, runStates } from './runs.ts';

/** A run as shown to who asks, with the reason if its process makes no progress. */
export type ShownRun = Run & { problem?: ProcessProblem | undefined };

export async function showRun(...[db, organizationId, which]: Parameters<typeof getRun>): Promise<ShownRun> {
  return withProblem(db, organizationId, await getRun(db, organizationId, which));
}

export async function showRuns(
  ...[db, organizationId, filters, slice]: Parameters<typeof listRuns>
): Promise<ShownRun[]> {
  return withProblems(db, organizationId, await listRuns(db, organizationId, filters, slice));
}

/** A run that is known already. */
export async function withProblem(
  db: OrganizationTransaction,
  organizationId: string,
  run: Run,
): Promise<ShownRun> {
  const [shown] = await withProblems(db, organizationId, [run]);
  return shown!;
}

export async function withProblems(
  db: OrganizationTransaction,
  organizationId: string,
  runs: readonly Run[],
): Promise<ShownRun[]> {
  const unfinished = runs.filter(({ status }) => !runStates.isEnd(status));
  const ids = unfinished.map(({ workflow_id: workflowId }) => workflowId);
  const problems = await problemsOf(db, organizationId, ids);
  const shown = await withoutHiddenTables(db, organizationId, runs);
  return shown.map((run) => ({ ...run, problem: problems.get(run.workflow_id) }));
}
