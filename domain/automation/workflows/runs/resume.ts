import type { Logger } from 'pino';
import { AppError } from '../../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { bestEffort, type ProcessDeps } from '../../../../data/processes/processes.ts';
import { resumedSignal } from '../../../../workflows/automation/workflow-run/names.ts';
import { reopenDeliveries } from '../../../publishing/deliveries/deliveries.ts';
import { type Run, reopenRun } from '../../../workspace/runs/runs.ts';
import { findWorkflow } from '../definitions/workflows.ts';
import { workflowRuns } from './process.ts';
import { readsWholeLake, versionOfRun } from './version-of-run.ts';
import {
  dataVersionsOf,
  failedRunPinDays,
  failedRunsPinned,
  findBoth,
  keepRunPins,
  updateWorkflowRun,
  type WorkflowRun,
} from './workflow-runs.ts';

export type ResumeDeps = ProcessDeps & { logger: Pick<Logger, 'warn'> };

export interface ResumeRequest {
  organizationId: string;
  runId: string;
  /** The data that the run began with, or the current data. */
  data: 'kept' | 'newest';
  memo: Record<string, string>;
}

/**
 * Resumes a failed run from its failed nodes, keeping completed work, on the version and the data that it
 * began with, or on the newest data if requested. The row contains the request: if its process cannot be
 * started, the reconciler starts it.
 */
export async function resumeWorkflowRun(
  deps: ResumeDeps,
  { organizationId, runId, data, memo }: ResumeRequest,
): Promise<Run> {
  const { run, start } = await inOrganization(deps.db, organizationId, async (db) => {
    const both = (await findBoth(db, organizationId, runId, 'update'))!;
    if (both.run.status !== 'failed')
      throw new AppError('conflict', `The run is ${both.run.status}. Only a failed run can be resumed.`);
    const workflow = await findWorkflow(db, organizationId, both.row.workflow_id);
    if (workflow === undefined || workflow.status === 'archived')
      throw new AppError('conflict', 'The workflow is archived and cannot run.');
    await reopenNodes(db, organizationId, runId);
    const isKept = await keepRunPins(db, organizationId, runId);
    if (data === 'kept' && !isKept && (await readsData(db, both.row))) throw notKept();
    await updateWorkflowRun(db, organizationId, runId, {
      resumes: both.row.resumes + 1,
      // Its versions are pinned again when it begins.
      ...(data === 'newest' ? { data_versions: null } : {}),
    });
    const run = (await reopenRun(db, both.run))!;
    return { run, start: await workflowRuns.startOf(db, both.row, run, memo) };
  });
  await bestEffort(deps, start.workflowId, deps.processes.wake(start, { name: resumedSignal, args: [] }));
  return run;
}

const readsData = async (db: OrganizationTransaction, row: WorkflowRun): Promise<boolean> =>
  dataVersionsOf(row).length > 0 || readsWholeLake((await versionOfRun(db, row)).graph);

const notKept = () =>
  new AppError(
    'version_expired',
    `The service no longer has the data that the run began with. It keeps this data for ${failedRunPinDays} days, for the last ${failedRunsPinned} failed runs of a workflow. Resume the run with data=newest to use the current tables, or start a new run.`,
  );

/**
 * Makes each failed or cancelled node a new attempt: what it starts or asks is named after the attempt, and
 * what the previous attempt started has ended with it. A mail that may have been sent is not sent again; that
 * takes an explicit request.
 */
async function reopenNodes(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<void> {
  await reopenDeliveries(db, organizationId, runId);
  await db
    .updateTable('workflow_run_nodes')
    .set(({ eb, fn, val, cast }) => ({
      status: 'waiting',
      attempts: eb('attempts', '+', 1),
      error: null,
      started_at: null,
      finished_at: null,
      work: fn('jsonb_build_object', [cast(val('firstAttempt'), 'text'), eb('attempts', '+', 1)]) as never,
    }))
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .where('status', 'in', ['failed', 'cancelled'])
    .execute();
}
