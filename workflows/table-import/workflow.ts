import {
  CancellationScope,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { taskQueues } from '../task-queues.ts';
import type {
  TableImportControlActivities,
  TableImportInput,
  TableImportLakeActivities,
  TableImportOutcome,
} from './contract.ts';
import { cancelTableImportSignal } from './names.ts';

// Database only, seconds at most. Retried without end: an import must not be left running in its row.
const control = proxyActivities<TableImportControlActivities>({
  taskQueue: taskQueues.control,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

// A gigabyte takes minutes. Twenty tries outlast an hour of a store that is away; a broken file is not retried at all.
const { stageTableImport } = proxyActivities<Pick<TableImportLakeActivities, 'stageTableImport'>>({
  taskQueue: taskQueues.lake,
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '10 seconds',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes', maximumAttempts: 20 },
});

// The commit is seconds; unlike staging it must not be given up, since it may have happened.
const commit = proxyActivities<Pick<TableImportLakeActivities, 'commitTableImport' | 'discardStagedImport'>>({
  taskQueue: taskQueues.lake,
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

export const cancelSignal = defineSignal(cancelTableImportSignal);

/** A file becomes a table: staged as Parquet beside the lake, then committed whole, or not at all. */
export async function tableImport(input: TableImportInput): Promise<TableImportOutcome> {
  const staging = new CancellationScope();
  setHandler(cancelSignal, () => staging.cancel());

  setCurrentDetails('Waiting for its turn.');
  if (!(await control.beginTableImport(input))) return { status: 'cancelled' };
  try {
    setCurrentDetails('Reading the file and staging Parquet; the activity heartbeat has the progress.');
    const staged = await staging.run(() => stageTableImport(input));
    setCurrentDetails(`Committing ${staged.rows} rows.`);
    // From here on a cancel comes too late: the commit decides.
    return await CancellationScope.nonCancellable(() => commit.commitTableImport(input));
  } catch (error) {
    return await CancellationScope.nonCancellable(() => end(input, error));
  }
}

async function end(input: TableImportInput, error: unknown): Promise<TableImportOutcome> {
  const status = isCancellation(error) ? 'cancelled' : 'failed';
  setCurrentDetails(`The import ended as ${status}; removing what was staged.`);
  await commit.discardStagedImport(input);
  return control.endTableImport(input, status);
}
