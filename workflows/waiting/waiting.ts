import { ActivityFailure, ApplicationFailure, sleep } from '@temporalio/workflow';
import { noProcessFailure } from './names.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 120_000;

/** Attempts it until there is a process for it, however long others of the organization keep them busy. */
export async function untilThereIsAProcess<T>(
  attempt: () => Promise<T>,
  { summary, beforeAnother }: { summary: string; beforeAnother?: () => Promise<void> },
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
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
