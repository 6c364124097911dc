import { AppError, isRetryable, ValidationError } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type { FireProgress, ScheduleRunInput } from '../../../workflows/automation/schedule-run/contract.ts';
import type { Models } from '../../analyst/models/models.ts';
import { runPlaybook } from '../../analyst/playbooks/run.ts';
import { type CancelDeps, cancelRunById } from '../../workspace/runs/cancel.ts';
import { startFiredSnapshot } from './dataset-fires.ts';
import { endRun, findFire, statusOf } from './fires.ts';
import { scheduleRunProcess } from './process.ts';
import { findScheduleRun, type ScheduleRun, updateScheduleRun } from './schedule-runs.ts';
import type { Schedule } from './schedules.ts';

export interface FireDeps extends CancelDeps {
  models: Pick<Models, 'defaultId'>;
  /** Starts what a trigger's fire runs. Injected because workflows are a higher room than schedules. */
  startWorkflowFire(fire: WorkflowFire): Promise<unknown>;
}

/** The fire of a workflow's trigger, for the version that was active when it was recorded. */
export interface WorkflowFire {
  organizationId: string;
  workflowId: string;
  versionId: string;
  triggerId: string;
  runId: string;
  waitedBy: string;
}

/** A fire that cannot start within a day because too much is under way fails. */
const startWithinMs = 86_400_000;

const cancelled: FireProgress = { kind: 'ended', status: 'cancelled' };

/**
 * Starts what a fire runs. The run's id is known beforehand, so another attempt finds it. A refusal ends the
 * fire.
 */
export async function beginFire(deps: FireDeps, input: ScheduleRunInput): Promise<FireProgress> {
  const { organizationId } = input;
  const found = await inOrganization(deps.db, organizationId, (db) => findFire(db, input));
  if (found === undefined) return cancelled;
  const { fire, schedule } = found;
  if (fire.status !== 'running') return { kind: 'ended', status: statusOf(fire) };
  const runId = fire.run_id!;
  // This process continues an earlier one; the target of the run may have been deleted since.
  if (fire.has_run) return { kind: 'running', runId };
  try {
    await start(deps, fire, schedule);
  } catch (error) {
    const isLate = Date.now() - fire.created_at.getTime() > startWithinMs;
    if (isRetryable(error) && !isLate) throw error;
    const status = await inOrganization(deps.db, organizationId, (db) =>
      endRun(db, fire, 'failed', refusalOf(error)),
    );
    return { kind: 'ended', status };
  }
  await inOrganization(deps.db, organizationId, (db) =>
    updateScheduleRun(db, organizationId, fire.id, { has_run: true }),
  );
  return { kind: 'running', runId };
}

function start(deps: FireDeps, fire: ScheduleRun, schedule: Schedule): Promise<unknown> {
  const { organization_id: organizationId } = fire;
  const runId = fire.run_id!;
  const waitedBy = scheduleRunProcess.workflowId(fire.id);
  if (schedule.kind === 'dataset') {
    const { dataset_id: datasetId, created_by: callerId } = schedule;
    return startFiredSnapshot(deps, { organizationId, datasetId: datasetId!, callerId, runId, waitedBy });
  }
  if (schedule.kind === 'workflow') {
    return deps.startWorkflowFire({
      organizationId,
      workflowId: schedule.workflow_id!,
      versionId: fire.version_id!,
      triggerId: schedule.trigger_id!,
      runId,
      waitedBy,
    });
  }
  return runPlaybook(deps, {
    organizationId,
    projectId: schedule.project_id!,
    playbookId: schedule.playbook_id!,
    callerId: schedule.created_by,
    isUnattended: true,
    alsoFor: schedule.updated_by === null ? [] : [schedule.updated_by],
    memo: {},
    runId,
    params: schedule.params,
    at: ['config', 'params'],
    trigger: { type: 'schedule', id: schedule.id },
    waitedBy,
    defaultModel: deps.models.defaultId,
  });
}

function refusalOf(error: unknown): string {
  if (error instanceof ValidationError)
    return `The run couldn't be started: ${error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(' ')}`;
  return `The run couldn't be started: ${error instanceof AppError ? error.message : 'an internal error occurred.'}`;
}

/** Requests cancellation of a fire's run; a fire whose run has not begun ends at once. */
export async function cancelFire(
  deps: CancelDeps,
  { organizationId, scheduleRunId }: ScheduleRunInput,
): Promise<void> {
  const fire = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await findScheduleRun(db, organizationId, scheduleRunId);
    if (found?.status !== 'running') return undefined;
    if (!found.has_run) await endRun(db, found, 'cancelled', 'An operator cancelled the run.');
    return found;
  });
  if (fire !== undefined) await cancelRunOf(deps, fire);
}

/** Requests cancellation of a fire's run, if it has begun. */
export async function cancelRunOf(
  deps: CancelDeps,
  { organization_id: organizationId, run_id: runId }: ScheduleRun,
): Promise<void> {
  if (runId !== null) await cancelRunById(deps, organizationId, runId);
}
