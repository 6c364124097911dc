import { databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { queuedRun } from '../../waiting/queued-run.ts';
import type {
  ProfileControlActivities,
  ProfileInput,
  ProfileLakeActivities,
  ProfileOutcome,
} from './contract.ts';

const control = databaseActivities<ProfileControlActivities>();

// A wide table takes hours, and waits for an engine before each group of columns. Ten attempts cover some ten
// minutes of an unavailable store, and each computes everything again.
const { computeProfile } = longLakeActivities<ProfileLakeActivities>('12 hours', 10);

/** Computes what the columns of a table hold, at one version, a group of columns at a time. */
export function profile(input: ProfileInput): Promise<ProfileOutcome> {
  let kept: ProfileOutcome | undefined;
  return queuedRun<ProfileInput, ProfileOutcome>(input, {
    begin: () => control.beginProfile(input),
    work: async () => {
      kept = await computeProfile(input);
    },
    end: async (_isCancelled, hasFailed) =>
      kept ?? control.endProfile(input, hasFailed ? 'failed' : 'cancelled'),
    words: {
      waiting: 'the organization has reached its limit of profiles at the same time',
      working: "Reading the columns. The activity's heartbeat has the progress.",
      ended: () => ({
        what: 'The profile',
        succeeded: 'Computed and stored.',
        cancelled: 'Was cancelled. The previous profile is kept.',
        failed: 'The previous profile is kept.',
      }),
    },
  });
}
