import { advanceSchedule } from '../../domain/automation/schedules/advance.ts';
import {
  beginBackfill,
  cancelByProcess,
  claimBackfillFire,
  endBackfill,
} from '../../domain/automation/schedules/backfill-process.ts';
import { collectFire, endFire } from '../../domain/automation/schedules/collect.ts';
import { beginFire, cancelFire } from '../../domain/automation/schedules/fire.ts';
import { pauseByProcess, resumeByProcess } from '../../domain/automation/schedules/pause.ts';
import { beginWorkflowRun } from '../../domain/automation/workflows/runs/begin.ts';
import { endNode, endWorkflowRun, skipNodes } from '../../domain/automation/workflows/runs/end.ts';
import type { ScheduleControlActivities } from '../../workflows/automation/schedule/contract.ts';
import type { BackfillControlActivities } from '../../workflows/automation/schedule-backfill/contract.ts';
import type { ScheduleRunControlActivities } from '../../workflows/automation/schedule-run/contract.ts';
import type { WorkflowRunControlActivities } from '../../workflows/automation/workflow-run/contract.ts';
import type { ActivityDeps } from '../deps.ts';

export function backfillControlActivities({ db }: ActivityDeps): BackfillControlActivities {
  return {
    /** Safe to retry: one that has begun continues at its position. */
    beginBackfill: (input) => beginBackfill(db, input),
    /** Safe to retry: a position of the plan is always the same fire. */
    claimBackfillFire: (input, place) => claimBackfillFire(db, input, place),
    /** Safe to retry: no effect on one that has ended. */
    cancelBackfill: (input) => cancelByProcess(db, input),
    /** Safe to retry: no effect on one that has ended. */
    endBackfill: (input) => endBackfill(db, input),
  };
}

export function scheduleRunControlActivities(deps: ActivityDeps): ScheduleRunControlActivities {
  return {
    /** Safe to retry: the run's id is known before it is started. */
    beginFire: (input) => beginFire(deps, input),
    /** Safe to retry: ids of deliveries are derived from the fire. */
    collectFire: (input) => collectFire(deps.db, input),
    /** Safe to retry: no effect on a fire that has ended. */
    endFire: (input) => endFire(deps.db, input),
    /** Safe to retry: cancellation may be requested repeatedly. */
    cancelFire: (input) => cancelFire(deps, input),
  };
}

export function scheduleControlActivities(deps: ActivityDeps): ScheduleControlActivities {
  return {
    /**
     * Safe to retry: the position in the cadence is in the row, and a fire is identified by its local time.
     */
    advanceSchedule: (input, nowMs) => advanceSchedule(deps, input, nowMs),
    /** Safe to retry: pausing twice changes nothing. */
    pauseSchedule: (input, nowMs) => pauseByProcess(deps.db, input, nowMs),
    /** Safe to retry: resuming twice changes nothing. */
    resumeSchedule: (input, nowMs) => resumeByProcess(deps.db, input, nowMs),
  };
}

export function workflowRunControlActivities(deps: ActivityDeps): WorkflowRunControlActivities {
  return {
    /** Safe to retry: pins and nodes are written once. */
    beginWorkflowRun: (input) => beginWorkflowRun(deps, input),
    /** Safe to retry: no effect on a node that has ended. */
    skipNodes: (input, nodeIds) => skipNodes(deps, input, nodeIds),
    /** Safe to retry: no effect on a node that has ended. */
    endNode: (input, why) => endNode(deps, input, why),
    /** Safe to retry: no effect on a run that has ended. */
    endWorkflowRun: (input, resumes) => endWorkflowRun(deps, input, { resumes }),
  };
}

export const automationControlActivities = (deps: ActivityDeps) => ({
  ...backfillControlActivities(deps),
  ...scheduleRunControlActivities(deps),
  ...scheduleControlActivities(deps),
  ...workflowRunControlActivities(deps),
});
