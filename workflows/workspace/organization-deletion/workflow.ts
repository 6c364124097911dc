import {
  CancelledFailure,
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { databaseOnly } from '../../activity-options.ts';
import { wasCancelled } from '../../cancellation.ts';
import { continueOnNewest, type Growth, watchGrowth } from '../../history.ts';
import { recordOutcome } from '../../outcome.ts';
import { taskQueues } from '../../task-queues.ts';
import type {
  OrganizationDeletionControlActivities,
  OrganizationDeletionInput,
  OrganizationDeletionLakeActivities,
  OrganizationDeletionState,
} from './contract.ts';
import { deletionChangedSignal } from './names.ts';

const control = proxyActivities<OrganizationDeletionControlActivities>({
  ...databaseOnly,
  taskQueue: taskQueues.control,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '20 seconds',
});

/** Retried without limit: half an organization is worse than one that is deleted late. */
const lake = proxyActivities<OrganizationDeletionLakeActivities>({
  taskQueue: taskQueues.lake,
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
});

/** Longer than a start that was under way takes to be seen. */
const betweenLooksMs = 3_000;
/** Longer than an activity works on after its process was terminated. */
const afterEndedMs = 20_000;
const whileHeldMs = 60_000;
const whilePausedMs = 60_000;
/** Longer than a form for an upload that was handed out before can be used. */
const beforeSweepMs = 75 * 60_000;

export const changedSignal = defineSignal(deletionChangedSignal);

/**
 * Deletes an organization when it is due: ends its processes, then removes its credentials, its lake, its
 * rows, its objects, and its own row last. Whatever ends this, another one begins anew, and finds what is
 * left.
 */
export async function organizationDeletion(input: OrganizationDeletionInput): Promise<void> {
  const { organizationId } = input;
  const state: OrganizationDeletionState = input.state ?? {
    step: 'waiting',
    lake: null,
    removed: { processes: 0, tables: 0, rows: 0 },
    rolesLeft: [],
  };
  let isAwake = false;
  setHandler(changedSignal, () => {
    isAwake = true;
  });
  const growth = watchGrowth();
  const goOn = () => continueWhereLong(growth, { organizationId, state });
  try {
    while (state.step === 'waiting') {
      isAwake = false;
      const begun = await control.beginDeletion(organizationId);
      if (begun.kind === 'begun') {
        Object.assign(state, { step: 'removing', lake: begun.lake });
      } else if (begun.kind === 'waits') {
        setCurrentDetails(
          `Will be deleted at ${begun.dueAt}. Until then, npm run organizations -- keep ${organizationId} cancels the deletion.`,
        );
        await condition(() => isAwake, begun.waitMs, { summary: `Deletion at ${begun.dueAt}` });
        await goOn();
      } else if (begun.kind === 'paused') {
        setCurrentDetails('Is due. Waits until the pause of all automation ends.');
        await condition(() => isAwake, whilePausedMs, { summary: 'All automation is paused' });
        await goOn();
      } else if (!isAwake) {
        return ended(begun.kind);
      }
    }
    while (state.step === 'removing') {
      await removeAll(organizationId, state, goOn);
      setCurrentDetails('Removes the row of the organization.');
      if ((await control.finishDeletion(organizationId)) === 'gone') state.step = 'sweeping';
      else await sleep(afterEndedMs, { summary: 'Runs in progress have added something' });
    }
    const at = new Date(Date.now() + beforeSweepMs).toISOString();
    setCurrentDetails(
      `The organization is gone. The service checks again at ${at} for runs that were in progress then.`,
    );
    await sleep(beforeSweepMs, { summary: `Checks once more at ${at}` });
    await removeAll(organizationId, state, goOn);
  } catch (error) {
    if (!wasCancelled(error)) throw error;
    recordOutcome('cancelled', cancelledText(state));
    throw new CancelledFailure('The deletion was cancelled.');
  }
  recordOutcome('succeeded', `The organization was deleted. ${summaryOf(state)}`);
}

function ended(kind: 'kept' | 'gone'): void {
  if (kind === 'kept') recordOutcome('kept', 'The deletion was cancelled.');
  else recordOutcome('succeeded', 'The organization no longer existed.');
}

const cancelledText = ({ step }: OrganizationDeletionState): string =>
  step === 'sweeping'
    ? 'The organization is gone. The workflow was cancelled before its last check for runs that were in progress.'
    : 'Was cancelled. A worker starts it again, unless the deletion itself is cancelled.';

/** Once over everything, in the order in which each step leaves nothing to the ones before. */
async function removeAll(
  organizationId: string,
  state: OrganizationDeletionState,
  goOn: () => Promise<void>,
): Promise<void> {
  const { removed } = state;
  setCurrentDetails('Ends the workflows of the organization.');
  for (let looksWithout = 0; looksWithout < 2; ) {
    const found = await lake.endProcesses(organizationId);
    removed.processes += found;
    looksWithout = found === 0 ? looksWithout + 1 : 0;
    if (looksWithout < 2) await sleep(found === 0 ? betweenLooksMs : afterEndedMs);
    await goOn();
  }
  setCurrentDetails('Ends the lake credentials.');
  await lake.endCredentials(organizationId);
  if (state.lake !== null) await removeLake({ organizationId, lake: state.lake }, state, goOn);
  for (;;) {
    const { rows, next } = await control.removeRows(organizationId);
    removed.rows += rows;
    if (next === null) break;
    setCurrentDetails(`Removes rows: ${removed.rows} so far, now of ${next}.`);
    await goOn();
  }
  setCurrentDetails('Removes files and other objects.');
  while ((await lake.removeObjects(organizationId, state.lake)) === 'held') {
    setCurrentDetails('Waits for a backup in progress. Then it removes files and other objects.');
    await sleep(whileHeldMs, { summary: 'A backup is in progress' });
    await goOn();
  }
}

async function removeLake(
  where: { organizationId: string; lake: string },
  state: OrganizationDeletionState,
  goOn: () => Promise<void>,
): Promise<void> {
  setCurrentDetails('Removes the lake.');
  await lake.endLakeSessions(where);
  for (;;) {
    const { tables, left } = await control.removeLakeTables(where);
    state.removed.tables += tables;
    if (left === null) break;
    setCurrentDetails(`Removes the lake: ${left} tables of its catalog are left.`);
    await goOn();
  }
  state.rolesLeft = await lake.removeLakeRoles(where);
}

/** The next execution begins the step again, and finds what is left. */
async function continueWhereLong(growth: Growth, input: OrganizationDeletionInput): Promise<void> {
  if (growth.look()) await continueOnNewest<typeof organizationDeletion>(input);
}

function summaryOf({ removed: { processes, tables, rows }, rolesLeft }: OrganizationDeletionState): string {
  const counted = `${processes} workflows ended, ${tables} tables of its catalog and ${rows} rows removed.`;
  if (rolesLeft.length === 0) return counted;
  return `${counted} Roles that another database of the server still uses: ${rolesLeft.join(', ')}.`;
}
