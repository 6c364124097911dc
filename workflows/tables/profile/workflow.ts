import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest } from '../../history.ts';
import { endAs } from '../../outcome.ts';
import { untilItsTurn } from '../../waiting/waiting.ts';
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

/** For a profile waiting for its turn: some hours of polling. */
const maxHistoryLength = 1_500;

/** Computes what the columns of a table hold, at one version, a group of columns at a time. */
export async function profile(input: ProfileInput): Promise<ProfileOutcome> {
  const outcome = await run(input);
  endAs(outcome.status, outcome.errorCode, {
    what: 'The profile',
    succeeded: 'Computed and stored.',
    cancelled: 'Was cancelled. The previous profile is kept.',
    failed: 'The previous profile is kept.',
  });
  return outcome;
}

async function run(input: ProfileInput): Promise<ProfileOutcome> {
  if (!(await isItsTurn(input))) return always(() => control.endProfile(input, 'cancelled'));
  setCurrentDetails("Reading the columns. The activity's heartbeat has the progress.");
  try {
    return await computeProfile(input);
  } catch (error) {
    return await always(() => control.endProfile(input, wasCancelled(error) ? 'cancelled' : 'failed'));
  }
}

/** False if it is cancelled while it waits; it may also continue as a new execution. */
async function isItsTurn(input: ProfileInput): Promise<boolean> {
  try {
    return (await awaitTurn(input)) === 'begun';
  } catch (error) {
    if (wasCancelled(error)) return false;
    throw error;
  }
}

function awaitTurn(input: ProfileInput): Promise<'begun' | 'ended'> {
  setCurrentDetails('Waiting for its turn.');
  return untilItsTurn(() => always(() => control.beginProfile(input)), {
    onWaiting: () =>
      setCurrentDetails(
        'Waiting for its turn: the organization has reached its limit of profiles at the same time.',
      ),
    beforeAnother: async () => {
      if (workflowInfo().historyLength > maxHistoryLength) await continueOnNewest<typeof profile>(input);
    },
  });
}
