import type { Logger } from 'pino';
import { AppError } from '../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../data/postgres/client.ts';
import { nudge, type ProcessDeps } from '../../data/processes/processes.ts';
import { resumedSignal } from '../../workflows/workflow-run/names.ts';
import { reopenDeliveries } from '../deliveries/deliveries.ts';
import { type Run, reopenRun } from '../runs/runs.ts';
import { findWorkflow } from '../workflows/workflows.ts';
import { workflowRunStart } from './process.ts';
import { findBoth, updateWorkflowRun } from './workflow-runs.ts';

export type ResumeDeps = ProcessDeps & { logger: Pick<Logger, 'warn'> };

/**
 * Lets a failed run go on from the nodes that failed, with what was done kept, on the version and the data that it began
 * with. The row says so: a process that could not be started is started by whoever looks after runs.
 */
export async function resumeWorkflowRun(
  deps: ResumeDeps,
  { organizationId, runId, memo }: { organizationId: string; runId: string; memo: Record<string, string> },
): Promise<Run> {
  const { row, run } = await inOrganization(deps.db, organizationId, async (db) => {
    const both = (await findBoth(db, organizationId, runId, 'update'))!;
    if (both.run.status !== 'failed')
      throw new AppError('conflict', `The run is ${both.run.status}; one that failed can be resumed.`);
    const workflow = await findWorkflow(db, organizationId, both.row.workflow_id);
    if (workflow === undefined || workflow.status === 'archived')
      throw new AppError('conflict', 'The workflow is archived; nothing of it runs any more.');
    await reopenNodes(db, organizationId, runId);
    await updateWorkflowRun(db, organizationId, runId, { resumes: both.row.resumes + 1 });
    return { row: both.row, run: await reopenRun(db, both.run) };
  });
  const start = workflowRunStart(row, memo);
  await nudge(deps, start.workflowId, deps.processes.wake(start, { name: resumedSignal, args: [] }));
  return run;
}

/** A mail that may have gone out is not sent again by this: that is somebody's own word. */
async function reopenNodes(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<void> {
  await reopenDeliveries(db, organizationId, runId);
  await db
    .updateTable('workflow_run_nodes')
    .set(({ ref, fn, val, cast }) => ({
      status: 'waiting',
      error: null,
      started_at: null,
      finished_at: null,
      work: fn('jsonb_build_object', [cast(val('firstAttempt'), 'text'), ref('attempts')]) as never,
    }))
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .where('status', 'in', ['failed', 'cancelled'])
    .execute();
}
