import {
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest } from '../../history.ts';
import { endAsCancelled, failedAs, recordOutcome } from '../../outcome.ts';
import { taskQueues } from '../../task-queues.ts';
import type {
  IngestionBatchControlActivities,
  IngestionBatchInput,
  IngestionBatchLakeActivities,
  IngestionBatchState,
} from './contract.ts';
import { wakeIngestionBatchSignal } from './names.ts';

const control = databaseActivities<IngestionBatchControlActivities>();

// Fifty million rows take minutes. Sixty attempts cover half a day of an unavailable store.
const { applyIngestionBatch, stageReplay } = proxyActivities<
  Pick<IngestionBatchLakeActivities, 'applyIngestionBatch' | 'stageReplay'>
>({
  taskQueue: taskQueues.lake,
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '15 minutes', maximumAttempts: 60 },
});

// Activities that decide a batch or free its storage are retried without limit.
const finishing = proxyActivities<
  Pick<IngestionBatchLakeActivities, 'giveUpIngestionBatch' | 'cleanUpIngestionBatch'>
>({
  taskQueue: taskQueues.lake,
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
});

const maxHistoryLength = 400;

export const wakeSignal = defineSignal(wakeIngestionBatchSignal);

/**
 * A batch from its opening to its end: it expires if it is not completed, is applied once if it is, and
 * leaves no staged page behind. Its state is in its row; a signal only makes the process read it again.
 */
export async function ingestionBatch(input: IngestionBatchInput): Promise<IngestionBatchState['status']> {
  let isAwake = false;
  setHandler(wakeSignal, () => {
    isAwake = true;
  });
  for (;;) {
    // Reached only after very many signals.
    if (workflowInfo().historyLength > maxHistoryLength)
      return continueOnNewest<typeof ingestionBatch>(input);
    isAwake = false;
    const state = await always(() => control.advanceIngestionBatch(input));
    describe(input, state);
    switch (state.status) {
      case 'open':
      case 'awaiting_confirmation':
        if (input.isReplay && state.status === 'open') await stageOrGiveUp(input);
        else await waitFor(input, () => isAwake);
        break;
      case 'completing':
        // Completed or confirmed since the state was read.
        break;
      case 'applying':
        await always(() => apply(input));
        break;
      case 'gone':
        return state.status;
      default:
        await always(() => finishing.cleanUpIngestionBatch(input));
        return end(input, state);
    }
  }
}

function end(input: IngestionBatchInput, state: IngestionBatchState): IngestionBatchState['status'] {
  const { status, pages, records, errorCode } = state;
  const staged = `${records} records of ${pages} pages`;
  const details: Partial<Record<IngestionBatchState['status'], string>> = {
    applied: `Applied ${staged}.`,
    aborted: 'Was aborted. Nothing was applied.',
    expired: 'Expired before it was completed. Nothing was applied.',
  };
  if (status === 'failed')
    throw failedAs(errorCode, `The batch of the table ${input.tableId}`, 'Nothing was applied.');
  recordOutcome(status, `Table ${input.tableId}, ${input.mode}. ${details[status]}`);
  if (status === 'aborted') endAsCancelled('The batch');
  return status;
}

/** Waits until the process is woken, the batch expires, or an operator cancels it. */
async function waitFor(input: IngestionBatchInput, isAwake: () => boolean): Promise<void> {
  try {
    const isWoken = await condition(isAwake, Math.max(1, input.expiresAtMs - Date.now()));
    if (!isWoken) await control.expireIngestionBatch(input);
  } catch (error) {
    if (!wasCancelled(error)) throw error;
    await always(() => control.abortIngestionBatch(input));
  }
}

async function stageOrGiveUp(input: IngestionBatchInput): Promise<void> {
  try {
    await stageReplay(input);
  } catch (error) {
    await always(() =>
      wasCancelled(error) ? control.abortIngestionBatch(input) : finishing.giveUpIngestionBatch(input),
    );
  }
}

async function apply(input: IngestionBatchInput): Promise<void> {
  try {
    await applyIngestionBatch(input);
  } catch {
    await finishing.giveUpIngestionBatch(input);
  }
}

/** The details shown to operators with the process. */
function describe(input: IngestionBatchInput, { status, pages, records }: IngestionBatchState): void {
  const staged = `${pages} pages with ${records} records`;
  const expiry = new Date(input.expiresAtMs).toISOString();
  const details: Record<IngestionBatchState['status'], string> = {
    open: `Accepts pages until it is completed, aborted, or expires at ${expiry}.`,
    completing: `Complete with ${staged}. About to be applied.`,
    awaiting_confirmation: `Would shrink the table by more than its guard allows. Waits for a complete request with confirm_shrink, until ${expiry}.`,
    applying: `Applying ${staged}. The activity's heartbeat has the number of pages read so far.`,
    applied: `Applied ${staged}. Removing staged data.`,
    failed: 'Failed; its row has the reason. Removing staged data.',
    aborted: 'Aborted. Removing staged data.',
    expired: 'Expired. Removing staged data.',
    gone: "The batch doesn't exist.",
  };
  setCurrentDetails(
    `Table ${input.tableId}, ${input.mode}, organization ${input.organizationId}. ${details[status]}`,
  );
}
