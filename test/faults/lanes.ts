import { setTimeout as delay } from 'node:timers/promises';
import { batchLane, snapshotLane } from './load/batch-lanes.ts';
import type { Lane, LoadContext } from './load/context.ts';
import { exportLane } from './load/export-lanes.ts';
import { fileLanes } from './load/file-lanes.ts';
import { flowLane } from './load/flow-lanes.ts';
import { keyedLane, keyedReaderLane, maintenanceLane } from './load/keyed-lanes.ts';
import { appendLane, upsertLane } from './load/rows-lanes.ts';
import { runLane } from './load/run-lanes.ts';
import { pauseLane, triggerLane } from './load/schedule-lanes.ts';
import { shapingLanes } from './load/shaping-lanes.ts';
import { slotLanes } from './load/slot-lanes.ts';
import { copyReaderLane, datasetLane, sourceLane } from './load/snapshot-lanes.ts';
import { talkLanes } from './load/talk-lanes.ts';
import { verificationLanes } from './load/verification-lanes.ts';
import type { Focus } from './plan.ts';

/** The lanes of the load: they work from round to round, and a blocked one continues in a later round. */
export interface Lanes {
  /** Works until the round is over; every lane then finishes what it has begun. */
  work(isOver: () => boolean): void;
  isIdle(): boolean;
  /** Waits for everything that was begun, until the timeout. */
  finish(timeoutMs: number): Promise<void>;
}

/** Several writers per table if each writes its own rows, and one per key range for shared keys. */
export function createLanes(context: LoadContext, seed: number, focus?: Focus): Lanes {
  const isFocused = focus === 'copies';
  const maintained: Lane[] = [
    maintenanceLane(context, seed),
    keyedLane(context, seed),
    ...[1, 2].map((lane) => keyedReaderLane(context, seed, lane)),
    ...slotLanes(context, seed),
    ...fileLanes(context, seed),
    ...shapingLanes(context, seed),
  ];
  if (focus === 'maintenance')
    return runLanes(context, [
      ...maintained,
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((lane) => appendLane(context, seed, lane)),
    ]);
  const copies: Lane[] = [
    ...(['source', 'database'] as const).map((of) => sourceLane(context, seed, of)),
    ...[1, 2].map((lane) => copyReaderLane(context, seed, lane)),
    // An organization copies two at once: a third would have to wait.
    datasetLane(context, seed, isFocused ? ['table'] : ['changes', 'table']),
    datasetLane(context, seed, isFocused ? ['growth'] : ['growth', 'whole']),
  ];
  const others: Lane[] = [
    ...[1, 2, 3].map((lane) => appendLane(context, seed, lane)),
    ...[11, 12, 13].map((lane) => batchLane(context, seed, lane, 'appends')),
    ...[21, 22, 23, 24].map((lane) => upsertLane(context, seed, lane)),
    ...verificationLanes(context, seed),
    exportLane(context, seed),
    ...[31, 32].map((lane) => batchLane(context, seed, lane, 'whole')),
    ...[41, 42].map((lane) => snapshotLane(context, seed, lane, lane === 41)),
    runLane(context, seed, 1),
    triggerLane(context, seed, 1),
    pauseLane(context, seed, 1),
    flowLane(context, seed, 1),
    // Two talkers share one conversation, and two others have one each.
    ...[2, 1, 1].flatMap((talkers, index) => talkLanes(context, seed, index + 1, talkers)),
  ];
  return runLanes(context, isFocused ? [...copies, ...maintained] : [...copies, ...maintained, ...others]);
}

function runLanes(context: LoadContext, lanes: readonly Lane[]): Lanes {
  const steps = new Map<Lane, Promise<void>>();

  async function run(lane: Lane, isOver: () => boolean): Promise<void> {
    await steps.get(lane);
    while (!isOver() && !context.signal.aborted) {
      const step = lane.step().catch((error: unknown) => {
        context.journal.breach('unexpected', `lane ${lane.name}: ${String(error)}`);
      });
      steps.set(lane, step);
      await step;
      steps.delete(lane);
    }
  }

  return {
    work: (isOver) => {
      for (const lane of lanes) void run(lane, isOver);
    },
    isIdle: () => steps.size === 0,
    async finish(timeoutMs) {
      const begun = [...steps.values(), ...lanes.flatMap(({ pending }) => [...(pending ?? [])])];
      await Promise.race([Promise.all(begun), delay(timeoutMs, undefined, { ref: false })]);
    },
  };
}
