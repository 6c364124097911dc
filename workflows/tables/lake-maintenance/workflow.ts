import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest, isOutdated } from '../../history.ts';
import { failureText, recordOutcome } from '../../outcome.ts';
import { taskQueues } from '../../task-queues.ts';
import type {
  LakeMaintenanceControlActivities,
  LakeMaintenanceFailure,
  LakeMaintenanceFigures,
  LakeMaintenanceInput,
  LakeMaintenanceLakeActivities,
  LakeMaintenanceRunOutcome,
  LakeMaintenanceStep,
} from './contract.ts';
import { lakeMaintenanceFigureNames, runLakeMaintenanceSignal } from './names.ts';

const control = databaseActivities<LakeMaintenanceControlActivities>();

// A piece takes a minute; only listing a very full folder takes longer. Five attempts cover a restart of a
// store; more are not needed, because the next run repeats the work.
const lake = proxyActivities<LakeMaintenanceLakeActivities>({
  taskQueue: taskQueues.lake,
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 5 },
});

const steps = [
  ['flush', lake.flushLakeTables, 'Moves rows from the catalog to Parquet'],
  ['compact', lake.compactLakeTables, 'Merges small files, rewrites mostly deleted ones'],
  ['expire', lake.expireLakeSnapshots, 'Expires snapshots past the retention'],
  ['remove_files', lake.removeOldLakeFiles, 'Deletes files that were released a day ago'],
  ['remove_orphans', lake.removeLakeOrphans, 'Deletes week-old files that the catalog never included'],
] as const;

/** Keeps the history below a few thousand events. */
const runsAnExecution = 20;
/** Maximum number of failures stored in a run's row. */
const failuresKept = 20;

export const runSignal = defineSignal(runLakeMaintenanceSignal);

/** Maintains an organization's lake forever: a run at every interval, and one on each request. */
export async function lakeMaintenance(input: LakeMaintenanceInput): Promise<void> {
  let isAsked = input.isAsked ?? false;
  setHandler(runSignal, () => {
    isAsked = true;
  });
  let last = '';
  for (let runs = 0; runs < runsAnExecution && !isOutdated(); runs += 1) {
    const { waitMs } = await control.planLakeMaintenance(input);
    if (waitMs > 0 && !isAsked) {
      const next = new Date(Date.now() + waitMs).toISOString();
      setCurrentDetails(`Waiting. The next run is at ${next}. The signal \`run\` starts one now. ${last}`);
      await condition(() => isAsked, waitMs, { summary: `Next run at ${next}` });
    }
    isAsked = false;
    last = await runOnce(input);
  }
  await continueOnNewest<typeof lakeMaintenance>({ organizationId: input.organizationId, isAsked });
}

/** Runs once, and returns the outcome in words. */
async function runOnce(input: LakeMaintenanceInput): Promise<string> {
  const runId = await control.beginLakeMaintenanceRun(input);
  const outcome: LakeMaintenanceRunOutcome = {
    figures: Object.fromEntries(
      lakeMaintenanceFigureNames.map((name) => [name, 0]),
    ) as LakeMaintenanceFigures,
    failures: [],
  };
  for (const [step, activity, summary] of steps) {
    setCurrentDetails(`Run ${runId}. ${summary}.`);
    await runStep(input, step, activity, summary, outcome);
  }
  outcome.failures.splice(failuresKept);
  // Also after a cancellation: otherwise the run's row would stay `running` forever.
  await always(() => control.endLakeMaintenanceRun(input, runId, outcome));
  const summary = summaryOf(runId, outcome.failures);
  recordOutcome(outcome.failures.length === 0 ? 'succeeded' : 'failed', summary);
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('Maintenance was cancelled.');
  return summary;
}

/** Failures stay readable until the next run has ended. */
function summaryOf(runId: string, [first, ...others]: readonly LakeMaintenanceFailure[]): string {
  if (first === undefined) return `Run ${runId} succeeded.`;
  const more = others.length === 0 ? '' : `, with ${others.length} more failures`;
  const what = `The step ${first.step} of run ${runId}${more},`;
  return `${failureText(what, first.code, `/v1/lake-maintenance/runs/${runId}`)} The next run tries again.`;
}

/**
 * Runs a step piece by piece. Its failure is stored in the run's row, and the run continues with the next
 * step.
 */
async function runStep(
  input: LakeMaintenanceInput,
  step: LakeMaintenanceStep,
  activity: (typeof steps)[number][1],
  summary: string,
  { figures, failures }: LakeMaintenanceRunOutcome,
): Promise<void> {
  let next: string | null = null;
  do {
    try {
      const piece: Awaited<ReturnType<typeof activity>> = await activity.executeWithOptions({ summary }, [
        input,
        next,
      ]);
      for (const name of lakeMaintenanceFigureNames) figures[name] += piece.figures[name] ?? 0;
      failures.push(...piece.failures);
      next = piece.next;
    } catch (error) {
      failures.push(failureOf(step, error));
      return;
    }
  } while (next !== null);
}

function failureOf(step: LakeMaintenanceStep, error: unknown): LakeMaintenanceFailure {
  if (wasCancelled(error)) return { step, tableId: null, code: 'cancelled' };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const code = cause instanceof ApplicationFailure ? (cause.type ?? 'internal_error') : 'internal_error';
  return { step, tableId: null, code };
}
