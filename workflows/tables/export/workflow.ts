import { ActivityFailure, CancellationScope, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest } from '../../history.ts';
import { endAs } from '../../outcome.ts';
import { untilItsTurn, untilThereIsAProcess } from '../../waiting/waiting.ts';
import type {
  ExportControlActivities,
  ExportInput,
  ExportLakeActivities,
  ExportOutcome,
} from './contract.ts';

const control = databaseActivities<ExportControlActivities>();

// An export takes at most as long as a build. Twenty attempts cover an hour of an unavailable store; each
// begins anew, and a statement that fails is not retried.
const { writeExport } = longLakeActivities<ExportLakeActivities>('26 hours');

/** For an export that waits long for its turn. */
const maxHistoryLength = 3_000;

/** Writes rows to files that are kept for a day. */
export async function tableExport(input: ExportInput): Promise<ExportOutcome> {
  const outcome = await run(input);
  endAs(outcome.status, outcome.errorCode, {
    what: 'The export',
    succeeded: `Wrote ${outcome.rows} rows in ${outcome.bytes} bytes.`,
    cancelled: 'Was cancelled. Nothing of it is kept.',
    failed: 'Nothing of it is kept.',
  });
  return outcome;
}

async function run(input: ExportInput): Promise<ExportOutcome> {
  const beforeAnother = () => continueIfLong(input);
  try {
    const onWaiting = () =>
      setCurrentDetails(
        'Waiting for its turn: the organization has reached its limit of exports at the same time.',
      );
    const turn = await untilItsTurn(() => always(() => control.beginExport(input)), {
      onWaiting,
      beforeAnother,
    });
    if (turn === 'begun') {
      setCurrentDetails('Writing the files.');
      await untilThereIsAProcess(() => writeExport(input), { summary: 'a process', beforeAnother });
    }
  } catch (error) {
    // What stopped it is in its row.
    if (!wasCancelled(error) && !(error instanceof ActivityFailure)) throw error;
  }
  const isCancelled = CancellationScope.current().consideredCancelled;
  return always(() => control.endExport(input, isCancelled));
}

async function continueIfLong(input: ExportInput): Promise<void> {
  if (workflowInfo().historyLength > maxHistoryLength) await continueOnNewest<typeof tableExport>(input);
}
