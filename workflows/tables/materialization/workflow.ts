import { condition, defineSignal, patched, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { commitActivities, databaseActivities, longLakeActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { isLong, queuedRun } from '../../waiting/queued-run.ts';
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
export function materialization(input: MaterializationInput): Promise<MaterializationOutcome> {
  let isAwake = false;
  setHandler(wakeSignal, () => {
    isAwake = true;
  });
  const atMost = async (ms: number): Promise<void> => {
    await condition(() => isAwake, ms);
    isAwake = false;
  };
  let claimed: Claimed;
  return queuedRun(input, {
    begin: async () => {
      claimed = patched('claims-with-builds')
        ? await control.claimBuilds(input)
        : { turn: await control.beginMaterialization(input) };
      return claimed.turn;
    },
    wait: { firstMs: 15_000, atMost },
    work: (beforeAnother) => buildAll(input, claimed, beforeAnother),
    end: (isCancelled) => control.endMaterialization(input, isCancelled),
    words: {
      waiting: 'another run builds some of the same tables',
      ended: ({ built, failed, skipped }) => ({
        what: 'The materialization',
        succeeded: `Built ${built} tables.`,
        cancelled: `Was cancelled. Had built ${built} tables before.`,
        failed: `Built ${built} tables. ${failed} failed, and ${skipped} that depend on them were skipped.`,
      }),
    },
  });
}

/** Without the builds in processes of earlier code, which ask for them. */
type Claimed = Pick<ClaimedBuilds, 'turn'> & Partial<ClaimedBuilds>;

/** Each after all that it reads; independent ones side by side. */
async function buildAll(
  input: MaterializationInput,
  { ready: claimed, isAll = false }: Claimed,
  beforeAnother: () => Promise<void>,
): Promise<void> {
  let known = claimed;
  const running = new Map<string, Promise<void>>();
  // The list of what is ready may be older than the end of a build: each is begun once.
  const begun = new Set<string>();
  try {
    for (;;) {
      const wasAtRest = running.size === 0;
      if (wasAtRest) await beforeAnother();
      const ready = isLong() ? [] : (known ?? (await control.nextBuilds(input)));
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
