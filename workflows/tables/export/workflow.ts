import { databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { queuedRun } from '../../waiting/queued-run.ts';
import { untilThereIsAProcess } from '../../waiting/waiting.ts';
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

/** Writes rows to files that are kept for a day. */
export function tableExport(input: ExportInput): Promise<ExportOutcome> {
  return queuedRun(input, {
    begin: () => control.beginExport(input),
    work: (beforeAnother) =>
      untilThereIsAProcess(() => writeExport(input), { summary: 'a process', beforeAnother }),
    end: (isCancelled) => control.endExport(input, isCancelled),
    words: {
      waiting: 'the organization has reached its limit of exports at the same time',
      working: 'Writing the files.',
      ended: ({ rows, bytes }) => ({
        what: 'The export',
        succeeded: `Wrote ${rows} rows in ${bytes} bytes.`,
        cancelled: 'Was cancelled. Nothing of it is kept.',
        failed: 'Nothing of it is kept.',
      }),
    },
  });
}
