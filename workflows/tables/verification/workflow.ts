import { ActivityFailure, CancellationScope, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest } from '../../history.ts';
import { endAs } from '../../outcome.ts';
import { notifyWaiter } from '../../run-ended.ts';
import { untilItsTurn, untilThereIsAProcess } from '../../waiting/waiting.ts';
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

/** For a run that waits for its turn, or tests hundreds of tables. */
const maxHistoryLength = 3_000;

/** Tests tables, one after the other, each at one version, and keeps what the tests say. */
export async function verification(input: VerificationInput): Promise<VerificationOutcome> {
  const outcome = await run(input);
  await always(() => notifyWaiter(input.waitedBy, input.runId));
  endAs(outcome.status, outcome.errorCode, {
    what: 'The verification',
    succeeded: `Tested ${outcome.tested} tables: ${outcome.outcome}.`,
    cancelled: `Was cancelled. Had tested ${outcome.tested} tables before.`,
    failed: `Had tested ${outcome.tested} tables before.`,
  });
  return outcome;
}

async function run(input: VerificationInput): Promise<VerificationOutcome> {
  try {
    if ((await awaitTurn(input)) === 'begun') await verifyAll(input);
  } catch (error) {
    // What stopped it is in its row; the end says which tables were tested.
    if (!wasCancelled(error) && !(error instanceof ActivityFailure)) throw error;
  }
  const isCancelled = CancellationScope.current().consideredCancelled;
  return always(() => control.endVerification(input, isCancelled));
}

function awaitTurn(input: VerificationInput): Promise<'begun' | 'ended'> {
  return untilItsTurn(() => always(() => control.beginVerification(input)), {
    onWaiting: () =>
      setCurrentDetails(
        'Waiting for its turn: the organization has reached its limit of test runs at the same time.',
      ),
    beforeAnother: () => continueIfLong(input),
  });
}

async function verifyAll(input: VerificationInput): Promise<void> {
  setCurrentDetails('Testing the tables. The run has the progress.');
  const beforeAnother = () => continueIfLong(input);
  const next = () =>
    untilThereIsAProcess(() => verifyNextTable(input), { summary: 'a process', beforeAnother });
  while ((await next()) > 0) await continueIfLong(input);
}

async function continueIfLong(input: VerificationInput): Promise<void> {
  if (workflowInfo().historyLength > maxHistoryLength) await continueOnNewest<typeof verification>(input);
}
