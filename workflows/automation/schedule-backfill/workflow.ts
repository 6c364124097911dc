import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  executeChild,
  ParentClosePolicy,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest, watchGrowth } from '../../history.ts';
import { failedAs, recordOutcome } from '../../outcome.ts';
import type { scheduleRun } from '../schedule-run/workflow.ts';
import type { BackfillControlActivities, BackfillInput, BackfillStatus, ClaimedFire } from './contract.ts';

const control = databaseActivities<BackfillControlActivities>();

const maxHistoryLength = 2_000;
/**
 * Fires begun by an earlier execution are not child processes of this one: their rows are polled, at growing
 * intervals.
 */
const firstLookMs = 15_000;
const longestLookMs = 6 * 3_600_000;

/**
 * Fires the plan with the requested concurrency. A cancellation in the row takes effect at the next position;
 * fires under way continue.
 */
export async function scheduleBackfill(input: BackfillInput): Promise<BackfillStatus> {
  try {
    return await run(input);
  } catch (error) {
    if (!isCancelled(error)) throw error;
    await always(() => control.cancelBackfill(input));
    recordOutcome('cancelled', 'Was cancelled. Runs that it had started continue.');
    throw error;
  }
}

async function run(input: BackfillInput): Promise<BackfillStatus> {
  const begun = await control.beginBackfill(input);
  if (begun.kind === 'ended') return endedAs(begun.status);
  let { next } = begun;
  let isCancelled = false;
  const isFull = () =>
    workflowInfo().historyLength > maxHistoryLength || workflowInfo().continueAsNewSuggested;
  const lane = async () => {
    while (next < begun.total && !isCancelled && !isFull()) {
      const place = next;
      next += 1;
      // Not cancellable: a claimed fire must be started.
      const claimed = await always(() => control.claimBackfillFire(input, place));
      if (claimed.kind === 'cancelled') isCancelled = true;
      if (claimed.kind !== 'fire') continue;
      setCurrentDetails(`Runs ${place + 1} of ${begun.total}.`);
      await fired(input.organizationId, claimed);
    }
  };
  await Promise.all(Array.from({ length: begun.maxConcurrency }, lane));
  if (next < begun.total && !isCancelled) return continueOnNewest<typeof scheduleBackfill>(input);
  const growth = watchGrowth(maxHistoryLength);
  for (let lookMs = firstLookMs; ; lookMs = Math.min(lookMs * 2, longestLookMs)) {
    const status = await control.endBackfill(input);
    if (status !== 'running') return endedAs(status);
    if (growth.look()) return continueOnNewest<typeof scheduleBackfill>(input);
    await sleep(lookMs);
  }
}

/** Its outcome is in its row; a fire that has begun is not undone. */
async function fired(
  organizationId: string,
  { scheduleRunId, projectId, address }: ClaimedFire,
): Promise<void> {
  const keyword = (name: string, value: string) => ({
    key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
    value,
  });
  try {
    await executeChild<typeof scheduleRun>('scheduleRun', {
      workflowId: `schedule-run/${scheduleRunId}`,
      args: [{ organizationId, scheduleRunId }],
      ...(address === undefined ? {} : { memo: { address } }),
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      priority: { fairnessKey: organizationId, priorityKey: 4 },
      typedSearchAttributes: [
        keyword('OrganizationId', organizationId),
        keyword('ProjectId', projectId),
        keyword('ResourceId', scheduleRunId),
        keyword('ProcessKind', 'schedule-run'),
      ],
    });
  } catch (error) {
    if (isCancelled(error)) throw error;
  }
}

/** Whether the backfill itself was cancelled: cancelling one fire ends only that fire. */
const isCancelled = (error: unknown) =>
  wasCancelled(error) && CancellationScope.current().consideredCancelled;

function endedAs(status: BackfillStatus): BackfillStatus {
  if (status === 'succeeded') recordOutcome(status, 'Ran everything that was planned.');
  if (status === 'cancelled') recordOutcome(status, 'Was cancelled. Runs that it had started continue.');
  if (status === 'failed')
    throw failedAs('backfill_failed', 'The backfill', 'It ran everything that was planned.');
  return status;
}
