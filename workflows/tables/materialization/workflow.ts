import {
  CancellationScope,
  condition,
  defineSignal,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { commitActivities, databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { continueOnNewest } from '../../history.ts';
import { endAs } from '../../outcome.ts';
import { notifyWaiter } from '../../run-ended.ts';
import { untilThereIsAProcess } from '../../waiting/waiting.ts';
import type {
  ClaimedBuilds,
  MaterializationControlActivities,
  MaterializationInput,
  MaterializationLakeActivities,
  MaterializationOutcome,
} from './contract.ts';
import { buildsAtOnce, wakeMaterializationSignal } from './names.ts';

const control = databaseActivities<MaterializationControlActivities>();

// A build takes at most as long as the operator allows. Twenty attempts cover an hour of an unavailable
// store; a query that fails is not retried.
const { stageBuild } = longLakeActivities<Pick<MaterializationLakeActivities, 'stageBuild'>>('26 hours');

const commit = commitActivities<Pick<MaterializationLakeActivities, 'commitBuild' | 'discardBuild'>>();

export const wakeSignal = defineSignal(wakeMaterializationSignal);

/**
 * Builds one calculated table, or brings a graph of them up to date: each after all that it reads, and all
 * from one snapshot of the lake. A table's new content is committed as a whole or not at all.
 */
export async function materialization(input: MaterializationInput): Promise<MaterializationOutcome> {
  const outcome = await run(input);
  await always(() => notifyWaiter(input.waitedBy, input.runId));
  const { status, built, failed, skipped, errorCode } = outcome;
  endAs(status, errorCode, {
    what: 'The materialization',
    succeeded: `Built ${built} tables.`,
    cancelled: `Was cancelled. Had built ${built} tables before.`,
    failed: `Built ${built} tables. ${failed} failed, and ${skipped} that depend on them were skipped.`,
  });
  return outcome;
}

async function run(input: MaterializationInput): Promise<MaterializationOutcome> {
  let isAwake = false;
  setHandler(wakeSignal, () => {
    isAwake = true;
  });
  const waitForTurn = async (longest: number): Promise<void> => {
    await condition(() => isAwake, longest);
    isAwake = false;
  };
  try {
    const claimed = await awaitTurn(input, waitForTurn);
    if (claimed.turn === 'begun') await buildAll(input, claimed);
  } catch (error) {
    if (!wasCancelled(error)) throw error;
  }
  const isCancelled = CancellationScope.current().consideredCancelled;
  return always(() => control.endMaterialization(input, isCancelled));
}

const firstWaitMs = 15_000;
const longestWaitMs = 60_000;
/** For a run that waits for others, or builds hundreds of tables. */
const maxHistoryLength = 5_000;

/** Without the builds in processes of earlier code, which ask for them. */
type Claimed = Pick<ClaimedBuilds, 'turn'> & Partial<ClaimedBuilds>;

async function awaitTurn(
  input: MaterializationInput,
  waitForTurn: (longestMs: number) => Promise<void>,
): Promise<Claimed> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const claimed: Claimed = await always(async () =>
      patched('claims-with-builds')
        ? control.claimBuilds(input)
        : { turn: await control.beginMaterialization(input) },
    );
    if (claimed.turn !== 'waiting') return claimed;
    setCurrentDetails('Waiting for its turn: another run builds some of the same tables.');
    await waitForTurn(waitMs);
    if (workflowInfo().historyLength > maxHistoryLength)
      return continueOnNewest<typeof materialization>(input);
  }
}

/** Each after all that it reads; independent ones side by side. */
async function buildAll(
  input: MaterializationInput,
  { ready: claimed, isAll = false }: Claimed,
): Promise<void> {
  let known = claimed;
  const running = new Map<string, Promise<void>>();
  // The list of what is ready may be older than the end of a build: each is begun once.
  const begun = new Set<string>();
  try {
    for (;;) {
      const isLong = workflowInfo().historyLength > maxHistoryLength;
      const wasAtRest = running.size === 0;
      if (isLong && wasAtRest) await continueOnNewest<typeof materialization>(input);
      const ready = isLong ? [] : (known ?? (await control.nextBuilds(input)));
      known = undefined;
      for (const tableId of ready) {
        if (running.size >= buildsAtOnce || begun.has(tableId)) continue;
        begun.add(tableId);
        const ended = build(input, tableId).finally(() => running.delete(tableId));
        running.set(tableId, ended);
      }
      if (running.size === 0) {
        if (wasAtRest) return;
        continue;
      }
      setCurrentDetails(`Building ${[...running.keys()].join(' and ')}.`);
      // Nothing else is left to be looked for, or to be shown as progress.
      if (isAll && claimed?.length === 1) return;
      await Promise.race(running.values());
    }
  } finally {
    // Each ends by itself when it is cancelled.
    await Promise.all(running.values());
  }
}

async function build(input: MaterializationInput, tableId: string): Promise<void> {
  const which = { ...input, tableId };
  try {
    await untilThereIsAProcess(() => stageBuild(which), { summary: `a process for ${tableId}` });
    // Not cancellable from here on: the commit decides.
    if (await always(() => commit.commitBuild(which))) return;
    await always(() => commit.discardBuild(which));
  } catch (error) {
    await always(async () => {
      await commit.discardBuild(which);
      await control.endBuild(which, wasCancelled(error) ? 'cancelled' : 'failed');
    });
  }
}
