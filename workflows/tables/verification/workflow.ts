import { databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { queuedRun } from '../../waiting/queued-run.ts';
import { untilThereIsAProcess } from '../../waiting/waiting.ts';
import type {
  VerificationControlActivities,
  VerificationInput,
  VerificationLakeActivities,
  VerificationOutcome,
} from './contract.ts';

const control = databaseActivities<VerificationControlActivities>();

// A table with hundreds of tests takes hours at most. Twenty attempts cover an hour of an unavailable store,
// and each tests one table again.
const { verifyNextTable } = longLakeActivities<VerificationLakeActivities>('12 hours');

/** Tests tables, one after the other, each at one version, and keeps what the tests say. */
export function verification(input: VerificationInput): Promise<VerificationOutcome> {
  return queuedRun(input, {
    begin: () => control.beginVerification(input),
    work: async (beforeAnother) => {
      const next = () =>
        untilThereIsAProcess(() => verifyNextTable(input), { summary: 'a process', beforeAnother });
      while ((await next()) > 0) await beforeAnother();
    },
    end: (isCancelled) => control.endVerification(input, isCancelled),
    words: {
      waiting: 'the organization has reached its limit of test runs at the same time',
      working: 'Testing the tables. The run has the progress.',
      ended: ({ tested, outcome }) => ({
        what: 'The verification',
        succeeded: `Tested ${tested} tables: ${outcome}.`,
        cancelled: `Was cancelled. Had tested ${tested} tables before.`,
        failed: `Had tested ${tested} tables before.`,
      }),
    },
  });
}
