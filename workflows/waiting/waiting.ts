import { ActivityFailure, ApplicationFailure, sleep } from '@temporalio/workflow';
import { noProcessFailure } from './names.ts';

const firstWaitMs = 1_000;
const longestTurnWaitMs = 60_000;
const longestProcessWaitMs = 120_000;

/**
 * Polls until it is a process's turn: a timer is free, while an activity that waits would hold a worker's
 * slot. `beforeAnother` follows each wait, for a history that has grown long.
 */
export async function untilItsTurn(
  begin: () => Promise<'begun' | 'waiting' | 'ended'>,
  { onWaiting, beforeAnother }: { onWaiting: () => void; beforeAnother: () => Promise<void> },
): Promise<'begun' | 'ended'> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestTurnWaitMs)) {
    const turn = await begin();
    if (turn !== 'waiting') return turn;
    onWaiting();
    await sleep(waitMs, { summary: 'its turn' });
    await beforeAnother();
  }
}

/** Attempts it until there is a process for it, however long others of the organization keep them busy. */
export async function untilThereIsAProcess<T>(
  attempt: () => Promise<T>,
  { summary, beforeAnother }: { summary: string; beforeAnother?: () => Promise<void> },
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestProcessWaitMs)) {
    try {
      return await attempt();
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : undefined;
      if (!(cause instanceof ApplicationFailure) || cause.type !== noProcessFailure) throw error;
    }
    await sleep(waitMs, { summary });
    await beforeAnother?.();
  }
}
